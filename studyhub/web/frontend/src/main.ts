/** Registers the elements of the pages. Every page works without this file. */
import "../styles/index.css";
import "../styles/player.css";
import { StudyPicture } from "./pictures/player";
import { startKeys } from "./study/keys";
import { KeysHelp, offerKeys } from "./study/keys-help";
import { RatingBar } from "./study/rating-bar";
import { focusFirst, StudyCard } from "./study/study-card";
import { StudyEcho } from "./study/study-echo";
import { StudyOrdering } from "./study/study-ordering";
import { startToast } from "./study/toast";
import { TopicSections } from "./study/topic-sections";
import { startTrying } from "./study/trying";
import { forget } from "./study/unsent";

customElements.define("study-picture", StudyPicture);
customElements.define("study-card", StudyCard);
customElements.define("study-echo", StudyEcho);
customElements.define("study-ordering", StudyOrdering);
customElements.define("rating-bar", RatingBar);
customElements.define("topic-sections", TopicSections);
customElements.define("keys-help", KeysHelp);
startKeys();
startToast();
startTrying();
offerKeys();
focusFirst();
if (document.getElementById("result")) forget();
