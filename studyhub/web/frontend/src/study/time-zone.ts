/** Tells the service where the learner's day begins: fills the hidden `time_zone` of every form. Knows no schedule. */

export function tellTimeZone(root: ParentNode = document): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  for (const field of root.querySelectorAll<HTMLInputElement>('input[name="time_zone"]'))
    field.value = timeZone ?? "";
}
