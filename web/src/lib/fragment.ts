/*
 * Links that carry a value carry it in the fragment: the browser never sends that part to a server or a referrer.
 */

/** The JSON value in the fragment under a name, or undefined. */
export function fromFragment(hash: string, name: string): unknown {
  const text = new URLSearchParams(hash.replace(/^#/, "")).get(name);
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The raw text in the fragment under a name. */
export function fragmentText(hash: string, name: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, "")).get(name);
}

/** A fragment with JSON text under a name. */
export function toFragment(name: string, json: string): string {
  return `#${new URLSearchParams({ [name]: json }).toString()}`;
}
