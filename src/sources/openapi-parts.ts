import { isObject } from "../kernel/json.ts";

/* What parameters and bodies of an operation have in common. */

/** One example, from either way of writing it. */
export function exampleOf(example: unknown, examples: unknown): { examples?: readonly unknown[] } {
  if (example !== undefined) return { examples: [example] };
  if (!isObject(examples)) return {};
  const values = Object.values(examples).flatMap((item) =>
    isObject(item) && item["value"] !== undefined ? [item["value"]] : [],
  );
  return values.length > 0 ? { examples: values.slice(0, 3) } : {};
}

/** The style of a parameter, with the defaults of its place. */
export function styleOf(
  parameter: Record<string, unknown>,
  place: string,
): { style: string; explode: boolean; allowReserved?: boolean } {
  const usual = place === "query" || place === "cookie" ? "form" : "simple";
  const { collectionFormat } = parameter;
  if (typeof collectionFormat === "string") {
    const styles: Readonly<Record<string, string>> = {
      ssv: "spaceDelimited",
      tsv: "tabDelimited",
      pipes: "pipeDelimited",
    };
    return { style: styles[collectionFormat] ?? usual, explode: collectionFormat === "multi" };
  }
  const style = typeof parameter["style"] === "string" ? parameter["style"] : usual;
  const isSwagger = parameter["schema"] === undefined && parameter["content"] === undefined;
  const explode =
    typeof parameter["explode"] === "boolean" ? parameter["explode"] : style === "form" && !isSwagger;
  return { style, explode, ...(parameter["allowReserved"] === true && { allowReserved: true }) };
}
