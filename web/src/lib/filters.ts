const DAY_MS = 86_400_000;

/** The texts of a form's fields by name; empty ones are left out. */
export function formTexts<K extends string>(
  form: HTMLFormElement,
  names: readonly K[],
): { [P in K]?: string } {
  const given = new FormData(form);
  const texts: { [P in K]?: string } = {};
  for (const name of names) {
    const value = given.get(name);
    if (typeof value === "string" && value.trim() !== "") texts[name] = value.trim();
  }
  return texts;
}

/** The beginning of the day after this one: what a list is asked for when this is the last day wanted. */
export function dayAfter(day: string): string {
  const last = Date.parse(day);
  return Number.isNaN(last) ? day : new Date(last + DAY_MS).toISOString();
}
