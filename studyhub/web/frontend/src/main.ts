/** Registers the elements of the pages. Every page works without this file. */
import "../styles/index.css";
import "../styles/player.css";
import "../styles/memory.css";
import "../styles/lab.css";
import { StudyPicture } from "./pictures/player";
import { watchAway } from "./study/away";
import { JobWatch } from "./study/job-watch";
import { startKeys } from "./study/keys";
import { KeysHelp, offerKeys } from "./study/keys-help";
import { startMenus } from "./study/menus";
import { RatingBar } from "./study/rating-bar";
import { followReading } from "./study/reading";
import { focusResult, StudyCard } from "./study/study-card";
import { StudyOrdering } from "./study/study-ordering";
import { startSureness } from "./study/sureness";
import { tellTimeZone } from "./study/time-zone";
import { startToast } from "./study/toast";
import { TopicSections } from "./study/topic-sections";
import { startTrying } from "./study/trying";
import { forget, tellKept } from "./study/unsent";

customElements.define("study-picture", StudyPicture);
customElements.define("study-card", StudyCard);
customElements.define("study-ordering", StudyOrdering);
customElements.define("rating-bar", RatingBar);
customElements.define("topic-sections", TopicSections);
customElements.define("keys-help", KeysHelp);
customElements.define("job-watch", JobWatch);
tellTimeZone();
watchAway();
startMenus();
startKeys();
startSureness();
startToast();
startTrying();
offerKeys();
followReading();
focusResult();
if (document.querySelector("study-echo, study-code, study-chosen, study-pending"))
  void import("./study/fields");
if (document.querySelector("study-lab"))
  void import("./pictures/lab").then(({ StudyLab }) => customElements.define("study-lab", StudyLab));
if (document.getElementById("result")) forget();
tellKept();
