import { listOf, shortJson, typeWord } from "../compile/words.ts";

/** One problem of a value, in words for a person. */
export interface ValueProblem {
  /** JSON Pointer of the value; of the missing member when one is missing. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

const FORMAT_WORDS: Readonly<Record<string, string>> = {
  date: "a date such as 2026-01-31",
  time: "a time such as 09:30:00Z",
  "date-time": "a date and time such as 2026-01-31T09:30:00Z",
  duration: "a duration such as PT15M",
  email: "an e-mail address",
  "idn-email": "an e-mail address",
  uri: "a full address such as https://example.com/",
  iri: "a full address such as https://example.com/",
  url: "a full address such as https://example.com/",
  "uri-reference": "an address or a path",
  uuid: "a UUID such as 123e4567-e89b-42d3-a456-426614174000",
  hostname: "a host name such as example.com",
  ipv4: "an IPv4 address such as 192.0.2.1",
  ipv6: "an IPv6 address such as 2001:db8::1",
  regex: "a regular expression",
  "json-pointer": "a JSON Pointer such as /items/0",
};

/** What is wrong, in words, from the keyword that failed and what it asks for. */
export function explain(keyword: string, wanted: unknown, name?: string): string {
  const count = typeof wanted === "number" ? wanted : 0;
  const many = (word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
  switch (keyword) {
    case "required":
      return name === undefined ? "A required field is missing." : `“${name}” is required.`;
    case "type":
      return `Must be ${listOf(
        (Array.isArray(wanted) ? wanted : [wanted]).map((type) => typeWord(String(type))),
        "or",
      )}.`;
    case "enum":
      return Array.isArray(wanted)
        ? `Must be one of ${listOf(wanted.map(shortJson), "or")}.`
        : "Must be one of the listed values.";
    case "const":
      return `Must be ${shortJson(wanted)}.`;
    case "minLength":
      return count === 1 ? "Must not be empty." : `Must have at least ${many("character")}.`;
    case "maxLength":
      return `Must have at most ${many("character")}.`;
    case "pattern":
      return `Must match the pattern ${shortJson(wanted)}.`;
    case "format":
      return `Must be ${(typeof wanted === "string" && Object.hasOwn(FORMAT_WORDS, wanted) ? FORMAT_WORDS[wanted] : undefined) ?? `of the format ${shortJson(wanted)}`}.`;
    case "minimum":
      return `Must be ${shortJson(wanted)} or more.`;
    case "maximum":
      return `Must be ${shortJson(wanted)} or less.`;
    case "exclusiveMinimum":
      return `Must be more than ${shortJson(wanted)}.`;
    case "exclusiveMaximum":
      return `Must be less than ${shortJson(wanted)}.`;
    case "multipleOf":
      return `Must be a multiple of ${shortJson(wanted)}.`;
    case "minItems":
      return `Must have at least ${many("item")}.`;
    case "maxItems":
      return `Must have at most ${many("item")}.`;
    case "uniqueItems":
      return "Must not contain the same item twice.";
    case "contains":
      return "Must contain an item of the kind that the schema asks for.";
    case "maxContains":
      return "Contains too many items of one kind.";
    case "minProperties":
      return `Must have at least ${many("member")}.`;
    case "maxProperties":
      return `Must have at most ${many("member")}.`;
    case "propertyNames":
      return name === undefined
        ? "A member has a name that is not allowed."
        : `“${name}” is not an allowed name.`;
    case "additionalProperties":
    case "unevaluatedProperties":
      return name === undefined ? "This member is not known here." : `“${name}” is not known here.`;
    case "additionalItems":
    case "unevaluatedItems":
      return "There are more items than allowed.";
    case "anyOf":
    case "oneOf":
      return keyword === "oneOf"
        ? "Must fit exactly one of the alternatives."
        : "Must fit one of the alternatives.";
    case "not":
      return "This value is excluded.";
    case "false":
      return "No value is allowed here.";
    default:
      return "Does not satisfy the schema.";
  }
}
