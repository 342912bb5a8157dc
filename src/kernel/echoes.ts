import { withoutTrailing } from "./text.ts";

/** Shorter secrets have encodings that occur by chance. */
const MIN_ENCODED = 8;

/**
 * The texts in which a server may repeat secrets: as they are, or encoded for an address, a form, JSON, HTML, or in
 * base64 and hexadecimal. The padding of base64 is left to vary.
 */
export function formsOf(...values: readonly string[]): readonly string[] {
  const plain = values.map((value) => withoutTrailing(value, "="));
  return [...new Set(plain.flatMap((value) => [value, ...escaped(value), ...encoded(value)]))];
}

function escaped(value: string): readonly string[] {
  const address = encodeURIComponent(value);
  const strict = address.replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const form = new URLSearchParams([["", value]]).toString().slice(1);
  const lower = [address, strict, form].map((text) =>
    text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  );
  const json = JSON.stringify(value).slice(1, -1);
  const html = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return [
    address,
    strict,
    form,
    ...lower,
    json,
    json.replaceAll("/", "\\/"),
    // As Go and Gson write texts that may stand in a page.
    json.replaceAll(/[&<>]/g, unicode),
    json.replaceAll(/[&<>=']/g, unicode),
    html,
    html.replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
    html.replaceAll('"', "&#34;").replaceAll("'", "&#x27;"),
    // As templates write a text that may stand in any attribute.
    html.replaceAll('"', "&quot;").replaceAll("'", "&#x27;").replaceAll("/", "&#x2F;"),
    html
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;")
      .replaceAll(/[/=`]/g, (sign) => `&#x${hexOf(sign).toUpperCase()};`),
  ];
}

function unicode(sign: string): string {
  return `\\u00${hexOf(sign)}`;
}

function hexOf(sign: string): string {
  return sign.charCodeAt(0).toString(16);
}

/** In base64 a text has three forms, by where in the whole it begins; its ends depend on what stands beside it. */
function encoded(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  if (bytes.length < MIN_ENCODED) return [];
  const inside = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)),
  );
  const url = inside.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  const hex = bytes.toString("hex");
  return [...inside, ...url, hex, hex.toUpperCase()];
}
