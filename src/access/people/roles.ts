import { allows, SCOPES, type Caller, type Scope } from "../../ports/caller.ts";
import { ROLES, type Role } from "../../ports/people.ts";

/** What a role is for and which scopes it holds. */
interface RoleRow {
  readonly scopes: readonly Scope[];
  readonly about: string;
}

/** The only table of roles: checks, the people page, docs/people.md and the tests are made from it. */
export const ROLE_TABLE: Readonly<Record<Role, RoleRow>> = {
  owner: {
    scopes: ["admin"],
    about: "Everything, and decides who else is an owner. There is always one.",
  },
  admin: { scopes: ["admin"], about: "Everything, except to make, change or disable owners." },
  editor: {
    scopes: ["write", "run", "handoff", "read-private"],
    about: "Builds workflows and artifacts, runs them, hands work to other services of the suite.",
  },
  operator: {
    scopes: ["run", "handoff", "read-private"],
    about: "Runs workflows and operations of connections, hands work to other services of the suite.",
  },
  approver: { scopes: ["approve", "read-private"], about: "Decides approvals." },
  viewer: { scopes: ["read-private"], about: "Sees everything, changes nothing." },
};

/** True when the role holds the scope; `admin` includes every other. */
export function roleAllows(role: Role, scope: Scope): boolean {
  const { scopes } = ROLE_TABLE[role];
  return scopes.includes("admin") || scopes.includes(scope);
}

/** The scopes of a role as a caller carries them. */
export function scopesOf(role: Role): ReadonlySet<Scope> {
  return new Set(ROLE_TABLE[role].scopes);
}

/** The scopes that were given and that the role still holds; `admin` is one of them only where both hold it. */
export function scopesWithin(given: readonly Scope[], role: Role): ReadonlySet<Scope> {
  return new Set(SCOPES.filter((scope) => given.includes(scope) && roleAllows(role, scope)));
}

/** True when the caller may give this role, and change people who have it: owners are changed by owners only. */
export function mayManage(caller: Caller, role: Role): boolean {
  if (!allows(caller, "admin")) return false;
  // A token without the scope must not come to it by inviting a person who has it.
  if (roleAllows(role, "approve") && !allows(caller, "approve")) return false;
  return (
    role !== "owner" ||
    caller.kind === "system" ||
    (caller.kind === "person" && caller.person?.role === "owner")
  );
}

/** The table of roles and scopes in Markdown. */
export function rolesMarkdown(): string {
  const rows = ROLES.map((role) => {
    const cells = SCOPES.map((scope) => (roleAllows(role, scope) ? "yes" : ""));
    return `| \`${role}\` | ${cells.join(" | ")} | ${ROLE_TABLE[role].about} |`;
  });
  return [
    `| role | ${SCOPES.map((scope) => `\`${scope}\``).join(" | ")} | what it is for |`,
    `|---|${SCOPES.map(() => "---").join("|")}|---|`,
    ...rows,
  ].join("\n");
}
