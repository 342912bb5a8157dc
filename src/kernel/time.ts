let lastMillis = Number.NaN;
let lastText = "";

/** ISO 8601 UTC of a time in milliseconds. Most are asked for several times within one millisecond. */
export function isoTime(millis: number): string {
  if (millis !== lastMillis) {
    lastText = new Date(millis).toISOString();
    lastMillis = millis;
  }
  return lastText;
}
