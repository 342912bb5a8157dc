/** A variable that a script sets from the JSON of the answer. */
export interface SavedResponse {
  readonly name: string;
  readonly path: readonly string[];
}

const MAX_SCRIPT = 20_000;
/** `const body = pm.response.json();` and the older `JSON.parse(responseBody)`. */
const ANSWER =
  /^(?:(?:const|let|var)\s+)?([A-Za-z_$][\w$]*)\s*=\s*(?:pm\.response\.json\(\)|JSON\.parse\(responseBody\))$/;
const SET =
  /^(?:pm\.(?:environment|collectionVariables|globals|variables)\.set|postman\.set(?:Environment|Global)Variable)\(\s*(["'`])([^"'`]{1,100})\1\s*,\s*(.{1,300})\)$/;
const PATH =
  /^(pm\.response\.json\(\)|JSON\.parse\(responseBody\)|[A-Za-z_$][\w$]*)((?:\.[A-Za-z_$][\w$]*|\[\d{1,6}\]|\[["'][^"'\]]{1,100}["']\])*)$/;

/**
 * The variables that a test script sets from the answer, which is the usual way to hand a value to the next request.
 * `whole` is true when the script does nothing else.
 */
export function savedResponses(script: string): {
  readonly kept: readonly SavedResponse[];
  readonly whole: boolean;
} {
  if (script.length > MAX_SCRIPT) return { kept: [], whole: false };
  const names = new Set<string>();
  const kept: SavedResponse[] = [];
  let whole = true;
  for (const statement of script.split(/[;\n]/)) {
    const text = statement.trim();
    if (text === "" || text.startsWith("//")) continue;
    const answer = ANSWER.exec(text)?.[1];
    if (answer !== undefined) {
      names.add(answer);
      continue;
    }
    const set = SET.exec(text);
    const path = set === null ? null : PATH.exec((set[3] ?? "").trim());
    const root = path?.[1] ?? "";
    if (set === null || path === null || !(names.has(root) || root.endsWith(")"))) {
      whole = false;
      continue;
    }
    kept.push({ name: set[2] ?? "", path: segments(path[2] ?? "") });
  }
  return { kept, whole };
}

/** `.a[0]["b"]` as `a`, `0`, `b`. */
export function segments(path: string): readonly string[] {
  return [...path.matchAll(/\.([A-Za-z_$][\w$]*)|\[(\d{1,6})\]|\[["']([^"'\]]{1,100})["']\]/g)].map(
    ([, word, index, key]) => word ?? index ?? key ?? "",
  );
}
