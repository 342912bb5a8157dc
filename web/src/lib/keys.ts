/** True for what text is typed into. */
export function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
      target.shadowRoot !== null ||
      target.isContentEditable)
  );
}
