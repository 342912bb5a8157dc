import { invalidValue, problemAt, type Problem } from "../../kernel/errors.ts";

const ADDRESS = "an e-mail address such as ada@example.com";
const MAX_EMAIL = 254;
const GROUP_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._&-]{0,59}$/u;
const EMAIL = /^[^\s@<>(),;:"\\[\]]{1,64}@[^\s@<>(),;:"\\[\]]{1,190}$/;

/** True for what can be an address; it is in lower case. */
export function isEmail(email: string): boolean {
  return email.length <= MAX_EMAIL && EMAIL.test(email) && email.isWellFormed();
}

/** An address as it is kept. */
export function emailOf(given: string): string {
  return given.trim().toLowerCase();
}

/** What is wrong with an address. */
export function emailProblems(given: string): readonly Problem[] {
  return isEmail(emailOf(given)) ? [] : [problemAt("email", ADDRESS)];
}

/** An address as it is kept, or a refusal. */
export function emailIn(given: string): string {
  if (emailProblems(given).length > 0) throw invalidValue("email", ADDRESS);
  return emailOf(given);
}

/** A name as it is kept. */
export function nameOf(given: string): string {
  return given.trim().replaceAll(/\s+/g, " ");
}

/** A name that `group:` can be followed by. */
export function groupNameOf(given: string): string {
  const name = nameOf(given);
  if (GROUP_NAME.test(name)) return name;
  throw invalidValue("name", "1 to 60 letters, digits, spaces and . _ & -");
}

/** What is wrong with a new password, besides its length. */
export function passwordProblems(member: string, password: string, email: string): readonly Problem[] {
  if (new Set(password).size < 5)
    return [problemAt(member, "a password of at least five different characters")];
  return email !== "" && password.toLowerCase().includes(email)
    ? [problemAt(member, "a password without your e-mail address")]
    : [];
}
