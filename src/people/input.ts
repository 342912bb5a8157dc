import { AppError, type Problem } from "../kernel/errors.ts";
import { isObject } from "../kernel/json.ts";
import { SCOPES, type Scope } from "../ports/caller.ts";
import { ROLES, type Role } from "../ports/people.ts";
import { PASSWORD_LENGTH } from "./passwords.ts";
import { roleNamed } from "./roles.ts";

const MAX_EMAIL = 254;
const MAX_NAME = 100;
const GROUP_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._&-]{0,59}$/u;
const EMAIL = /^[^\s@<>(),;:"\\[\]]{1,64}@[^\s@<>(),;:"\\[\]]{1,190}$/;

/** True for what can be an address; it is in lower case. */
export function isEmail(email: string): boolean {
  return email.length <= MAX_EMAIL && EMAIL.test(email) && email.isWellFormed();
}

/** Reads a body and reports everything that is wrong with it at once. */
export class BodyReader {
  readonly #body: Readonly<Record<string, unknown>>;
  readonly #problems: Problem[] = [];

  constructor(body: unknown, known: readonly string[]) {
    this.#body = isObject(body) ? body : {};
    for (const name of Object.keys(this.#body)) {
      if (!known.includes(name)) this.#wrong(name, "is not known", `one of ${known.join(", ")}`);
    }
  }

  /** An address in lower case. */
  email(): string {
    const value = this.#body["email"];
    const email = typeof value === "string" ? value.trim().toLowerCase() : "";
    if (!isEmail(email))
      this.#wrong("email", "is not an e-mail address", "an address such as ada@example.com");
    return email;
  }

  /** A person's name. */
  personName(optional: true): string | undefined;
  personName(optional?: false): string;
  personName(optional = false): string | undefined {
    const value = this.#body["name"];
    if (value === undefined && optional) return undefined;
    const name = typeof value === "string" ? value.trim().replaceAll(/\s+/g, " ") : "";
    if (name === "" || name.length > MAX_NAME || !name.isWellFormed() || name.includes("\u0000"))
      this.#wrong("name", "is not a name", `a text of 1 to ${MAX_NAME} characters`);
    return name;
  }

  /** A name that `group:` can be followed by. */
  groupName(): string {
    const value = this.#body["name"];
    const name = typeof value === "string" ? value.trim().replaceAll(/\s+/g, " ") : "";
    if (!GROUP_NAME.test(name))
      this.#wrong("name", "is not the name of a group", "1 to 60 letters, digits, spaces and . _ & -");
    return name;
  }

  /** A list of texts; empty when it is missing. */
  texts(member: string, most: number): readonly string[] {
    const value = this.#body[member] ?? [];
    const items = Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
    if (!Array.isArray(value) || items.length !== value.length || items.length > most)
      this.#wrong(member, "is not a list of texts", `a list of at most ${most} texts`);
    return items;
  }

  role(optional: true): Role | undefined;
  role(optional?: false): Role;
  role(optional = false): Role | undefined {
    const value = this.#body["role"];
    if (value === undefined && optional) return undefined;
    const role = roleNamed(value);
    if (role === null) this.#wrong("role", "is not a role", `one of ${ROLES.join(", ")}`);
    return role ?? "viewer";
  }

  /** A password as it was typed, whatever it is. */
  typed(member: string): string {
    const value = this.#body[member];
    if (typeof value !== "string" || value === "" || value.length > 4 * PASSWORD_LENGTH.max)
      this.#wrong(member, "is missing", "a text that is not empty");
    return typeof value === "string" ? value : "";
  }

  /** A password that is new: long enough, and not what everybody knows of the person. */
  newPassword(member: string, email: string): string {
    const value = this.#body[member];
    const password = typeof value === "string" ? value : "";
    const { min, max } = PASSWORD_LENGTH;
    const { length } = Array.from(password);
    if (length < min || length > max || !password.isWellFormed())
      this.#wrong(member, `must have ${min} to ${max} characters`, `a text of ${min} to ${max} characters`);
    else if (new Set(password).size < 5)
      this.#wrong(member, "repeats a few characters", "at least five different characters");
    else if (email !== "" && password.toLowerCase().includes(email))
      this.#wrong(member, "contains the e-mail address", "something that is not known of you");
    return password;
  }

  /** The answer of the browser's passkey dialog, which the passkey's library reads. */
  passkey(): Readonly<Record<string, unknown>> {
    const value = this.#body["passkey"];
    if (!isObject(value)) this.#wrong("passkey", "is missing", "the answer of the browser's passkey dialog");
    return isObject(value) ? value : {};
  }

  /** Scopes, each once; at least one. */
  scopes(): readonly Scope[] {
    const found = this.someOf("scopes", SCOPES);
    if (found.length === 0) this.#wrong("scopes", "is empty", `a list out of ${SCOPES.join(", ")}`);
    return found;
  }

  /** Some of these, each once; none when it is missing. */
  someOf<T extends string>(member: string, allowed: readonly T[]): readonly T[] {
    const given = this.texts(member, allowed.length);
    if (given.some((one) => !allowed.some((name) => name === one)))
      this.#wrong(member, "is not allowed", `a list out of ${allowed.join(", ")}`);
    return allowed.filter((name) => given.includes(name));
  }

  integer(member: string, least: number, most: number): number | undefined {
    const value = this.#body[member];
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
    this.#wrong(member, "is not allowed", `a whole number from ${least} to ${most}`);
    return undefined;
  }

  oneOf<T extends string>(member: string, allowed: readonly T[]): T | undefined {
    const value = this.#body[member];
    if (value === undefined) return undefined;
    const found = allowed.find((item) => item === value);
    if (found === undefined) this.#wrong(member, "is not allowed", `one of ${allowed.join(", ")}`);
    return found;
  }

  /** A member as it is. */
  raw(member: string): unknown {
    return this.#body[member];
  }

  /** Throws when something is wrong. */
  done(): void {
    if (this.#problems.length === 0) return;
    throw new AppError("invalid_input", this.#problems.map(({ message }) => message).join(" "), {
      problems: this.#problems,
    });
  }

  #wrong(member: string, what: string, expected: string): void {
    this.#problems.push({
      pointer: `/${member}`,
      message: `"${member.slice(0, 60)}" ${what}.`,
      expected,
      fix: `Give ${expected}.`,
    });
  }
}
