import { AppError, type Problem } from "../kernel/errors.ts";
import { nearestNames } from "../kernel/nearest.ts";

/** Unknown members that are reported one by one. */
const MAX_OTHERS = 20;

/** Reads members of a request body and collects everything that is wrong. Values are never repeated: one may be a secret. */
export class Reader {
  readonly #given: Readonly<Record<string, unknown>>;
  readonly #problems: Problem[] = [];

  constructor(given: Readonly<Record<string, unknown>>) {
    this.#given = given;
  }

  has(name: string): boolean {
    return this.#given[name] !== undefined;
  }

  /** A text; the fallback when it is left out, else a problem. */
  text(
    name: string,
    { pattern, expected, fallback }: { pattern?: RegExp; expected?: string; fallback?: string } = {},
  ): string {
    const value = this.#given[name];
    if (value === undefined && fallback !== undefined) return fallback;
    if (typeof value === "string" && value !== "" && (pattern?.test(value) ?? true)) return value;
    this.problem(
      `/${name}`,
      `${name} ${value === undefined ? "is missing" : "is not valid"}.`,
      expected ?? "a text",
    );
    return "";
  }

  /** A text that may be left out. */
  optional(name: string, rule: { pattern?: RegExp; expected?: string } = {}): string | null {
    return this.has(name) ? this.text(name, rule) : null;
  }

  /** An http or https address that may be left out. */
  address(name: string): string | null {
    const value = this.#given[name];
    if (value === undefined) return null;
    if (typeof value === "string" && isWebAddress(value)) return value;
    this.problem(
      `/${name}`,
      `${name} must be an http or https address without user and fragment.`,
      "an address",
    );
    return null;
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback?: T): T | null {
    const value = this.#given[name];
    if (value === undefined && fallback !== undefined) return fallback;
    const found = allowed.find((candidate) => candidate === value);
    if (found !== undefined) return found;
    const state = value === undefined ? "is missing" : "is not known";
    this.problem(`/${name}`, `${name} ${state}.`, `one of ${allowed.join(", ")}`);
    return null;
  }

  flag(name: string): boolean {
    const value = this.#given[name];
    if (value !== undefined && typeof value !== "boolean") {
      this.problem(`/${name}`, `${name} must be true or false.`, "true or false");
    }
    return value === true;
  }

  problem(pointer: string, message: string, expected: string, fix?: string): void {
    this.#problems.push({ pointer, message, expected, ...(fix !== undefined && { fix }) });
  }

  /** A member that is not known is a typo or a secret under a wrong name: it is refused, not ignored. */
  refuseOthers(known: readonly string[]): void {
    const others = Object.keys(this.#given).filter((name) => !known.includes(name));
    for (const name of others.slice(0, MAX_OTHERS)) {
      const near = nearestNames(name, known);
      this.problem(
        `/${name}`,
        `${name} is not a member of this kind of credential.`,
        `one of ${known.join(", ")}`,
        near.length === 0 ? undefined : `Did you mean ${near.join(" or ")}?`,
      );
    }
  }

  /** Throws when something is wrong. */
  done(message: string): void {
    const [first] = this.#problems;
    if (first === undefined) return;
    throw new AppError("invalid_input", `${message} ${first.message}`, { problems: this.#problems });
  }
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return false;
  return url.username === "" && url.password === "" && url.hash === "";
}
