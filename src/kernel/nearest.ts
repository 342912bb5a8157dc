/** The known names most like a mistyped one, best first; none when nothing is close. */
export function nearestNames(
  wrong: string,
  known: Iterable<string>,
  limit = 3,
  bound = Math.max(2, Math.ceil(Math.min(wrong.length, 100) / 3)),
): readonly string[] {
  const short = wrong.slice(0, 100).toLowerCase();
  const scored: { readonly name: string; readonly distance: number }[] = [];
  for (const name of known) {
    const lower = name.toLowerCase();
    const contains = short.length >= 4 && (lower.includes(short) || short.includes(lower));
    const distance = contains ? 1 : editDistance(short, lower, bound);
    if (distance <= bound) scored.push({ name, distance });
  }
  return scored
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map((entry) => entry.name);
}

/** Levenshtein distance, or `bound + 1` as soon as it must exceed the bound. */
function editDistance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) > bound) return bound + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const cost = a.charAt(i - 1) === b.charAt(j - 1) ? 0 : 1;
      const value = Math.min(
        (previous[j] ?? bound) + 1,
        (row[j - 1] ?? bound) + 1,
        (previous[j - 1] ?? bound) + cost,
      );
      row.push(value);
      best = Math.min(best, value);
    }
    if (best > bound) return bound + 1;
    previous = row;
  }
  return previous[b.length] ?? bound + 1;
}
