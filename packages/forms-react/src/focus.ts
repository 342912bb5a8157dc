/** The control of a field: what takes its value, and only failing that a button. */
export function controlIn(holder: Element): HTMLElement | null {
  const value = holder.querySelector<HTMLElement>(
    "input:not([type=file]),select,textarea,[data-code-editor]",
  );
  return value ?? holder.querySelector<HTMLElement>("button[id],button");
}
