import { shortJson } from "../compile/words.ts";
import { sampleOfPattern } from "../values/pattern-sample.ts";
import { explain } from "./messages.ts";

/** Examples of fewer characters say little of a pattern. */
const TELLING = 3;

/** What is wrong, in words; of a pattern people read an example, programs and experts the pattern. */
export function explainByExample(keyword: string, wanted: unknown, name?: string): string {
  const pattern = keyword === "pattern" && typeof wanted === "string" ? wanted : "";
  const example = pattern === "" ? "" : (sampleOfPattern(pattern, TELLING) ?? sampleOfPattern(pattern) ?? "");
  return example.trim() === ""
    ? explain(keyword, wanted, name)
    : `Must be written like “${example.slice(0, 60)}” (pattern ${shortJson(wanted)}).`;
}
