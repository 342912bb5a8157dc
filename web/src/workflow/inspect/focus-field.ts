/** Moves the focus to the field at a JSON Pointer, or to the nearest one around it, as soon as it is drawn. */
export function focusField(pointer: string): void {
  let frames = 0;
  const look = () => {
    const field = nearestField(pointer);
    if (field === null) {
      if (frames++ < 60) requestAnimationFrame(look);
      return;
    }
    for (let at = field.parentElement; at !== null; at = at.parentElement)
      if (at instanceof HTMLDetailsElement) at.open = true;
    const control =
      field.querySelector<HTMLElement>(
        "input, textarea, select, [data-code-editor], button.field-control, .field-control",
      ) ?? field.querySelector<HTMLElement>("button");
    field.scrollIntoView({ block: "center" });
    control?.focus();
  };
  requestAnimationFrame(look);
}

function nearestField(pointer: string): HTMLElement | null {
  for (let at = pointer; at.split("/").length > 3; at = at.slice(0, at.lastIndexOf("/"))) {
    const field = document.querySelector<HTMLElement>(`[data-pointer="${CSS.escape(at)}"]`);
    if (field !== null) return field;
  }
  return null;
}
