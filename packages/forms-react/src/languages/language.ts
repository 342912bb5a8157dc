import type { Language } from "../settings.ts";

/** A text, or one for each plural form of the first number in it (`Intl.PluralRules`). */
type Phrase = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** The texts of a language by the English ones; `{0}`, `{1}` stand for what is filled in. */
export type Phrases = Readonly<Record<string, Phrase>>;

/** Phrases whose filled-in part is a word of ours; any other part is a name or a value and stays as it is. */
const NESTING = new Set(["Must be {0}.", "Default ({0})", "Kind of {0}", "Name of a new entry in {0}"]);

interface Pattern {
  readonly test: RegExp;
  readonly isNesting: boolean;
  readonly phrase: Phrase;
}

/**
 * A language from its phrases. The form says everything in English and asks for the same in another language: a text
 * is found as it is, or by the phrase whose fixed parts it has.
 */
export function createLanguage(code: string, dir: "ltr" | "rtl", phrases: Phrases): Language {
  const plain = new Map(Object.entries(phrases));
  const plurals = new Intl.PluralRules(code);
  const patterns: readonly Pattern[] = Object.entries(phrases)
    .filter(([english]) => english.includes("{"))
    // The longer phrase says more: “Remove entry {0}” before “Remove {0}”.
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([english, phrase]) => ({ test: patternOf(english), isNesting: NESTING.has(english), phrase }));
  const known = new Map<string, string>();
  const find = (english: string): string => {
    const found = plain.get(english);
    if (found !== undefined) return fill(found, [english], plurals);
    for (const { test, isNesting, phrase } of patterns) {
      const parts = test.exec(english);
      if (parts) return fill(phrase, isNesting ? parts.slice(1).map(part) : parts.slice(1), plurals);
    }
    return english;
  };
  const part = (text: string): string => {
    const found = [text, ...text.split(/, | or | and /)].map((word) => plain.get(word));
    const [whole, ...words] = found.map((phrase) => (typeof phrase === "string" ? phrase : undefined));
    return whole ?? (words.every((word) => word !== undefined) ? words.join(" / ") : text);
  };
  return {
    code,
    dir,
    say: (english) => {
      const kept = known.get(english);
      if (kept !== undefined) return kept;
      if (known.size > 2_000) known.clear();
      const translated = english.length > 2_000 ? english : find(english);
      known.set(english, translated);
      return translated;
    },
  };
}

function patternOf(english: string): RegExp {
  const fixed = english.split(/\{\d\}/).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${fixed.join("([^]*?)")}$`);
}

function fill(phrase: Phrase, parts: readonly string[], plurals: Intl.PluralRules): string {
  const count = Number(/\d+/.exec(parts.join(" "))?.[0] ?? Number.NaN);
  const text =
    typeof phrase === "string"
      ? phrase
      : ((Number.isNaN(count) ? undefined : phrase[plurals.select(count)]) ?? phrase.other);
  return text.replaceAll(/\{(\d)\}/g, (_match, index: string) => parts[Number(index)] ?? "");
}
