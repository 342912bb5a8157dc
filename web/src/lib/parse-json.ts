import type { Json } from "@workflow-ui/client";

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
