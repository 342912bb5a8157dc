import { newId } from "./ids.ts";

/*
 * Ids of leaves that are found without an index: the last ten characters say where in the log the leaf stands, in
 * base 32. What comes before is time and chance, as in any other id.
 */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const PLACE_LENGTH = 10;

/** The beginning of leaf ids; those made with one stem differ by their place. */
export function leafIdStem(prefix: string): string {
  return newId(prefix).slice(0, -PLACE_LENGTH);
}

/** The id of the leaf at a place. */
export function leafId(stem: string, place: number): string {
  let text = "";
  let rest = place;
  while (rest > 0) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return stem + text.padStart(PLACE_LENGTH, "0");
}

/** The place that an id names, or null when it can name none. */
export function placeInLeafId(id: string): number | null {
  let place = 0;
  for (const character of id.slice(-PLACE_LENGTH)) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return null;
    place = place * 32 + digit;
  }
  return Number.isSafeInteger(place) ? place : null;
}
