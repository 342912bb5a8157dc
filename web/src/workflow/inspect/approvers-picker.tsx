import { OperationError, type PersonName } from "@workflow-ui/client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import { KeyRound, Plus, Search, Shield, User, UserPen, Users, X, type LucideIcon } from "lucide-react";
import { useState } from "react";
import { useCallerNames } from "../../api/names.ts";
import { session } from "../../api/session.ts";
import { useExternal } from "../../lib/external.ts";
import { useCalm } from "../../lib/use-calm.ts";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Labelled } from "./field.tsx";
import { call, useOperation } from "../../api/operations.ts";

type ApproverKind = "person" | "group" | "role" | "key";

/** A person or group that can be named: `entry` is how the workflow's document writes it. */
interface Approver {
  readonly kind: ApproverKind;
  readonly entry: string;
  /** Another way to write the same. */
  readonly alias?: string;
  readonly name: string;
  readonly detail: string;
}

const KINDS: readonly { readonly kind: ApproverKind; readonly label: string; readonly icon: LucideIcon }[] = [
  { kind: "person", label: "People", icon: User },
  { kind: "group", label: "Groups", icon: Users },
  { kind: "role", label: "Roles", icon: Shield },
  { kind: "key", label: "Keys", icon: KeyRound },
];

/** The scope without which nobody decides. */
const APPROVE = "approve";

interface Props {
  readonly value: readonly string[];
  readonly pointer: string;
  readonly onChange: (entries: readonly string[] | undefined) => void;
  readonly label?: string;
  /** What it means to name nobody. */
  readonly empty?: string;
}

interface ListProps extends Omit<Props, "pointer" | "label"> {
  /** Whom to offer. */
  readonly kinds?: readonly ApproverKind[];
  /** What the button says while nobody is named. */
  readonly action?: string;
  /** What it says afterwards. */
  readonly more?: string;
}

const EVERY_KIND: readonly ApproverKind[] = KINDS.map(({ kind }) => kind);

/** Who may decide: chosen from people, roles and keys, or typed. Nobody named means everybody with the right. */
export function ApproversPicker({
  value,
  pointer,
  onChange,
  label = "Who may decide",
  empty = "Everybody with the right to approve.",
}: Props) {
  return (
    <Labelled
      label={label}
      help="Where people are named, a key decides only if it is named as well."
      pointer={pointer}
      group
    >
      {() => <ApproverList value={value} empty={empty} onChange={onChange} />}
    </Labelled>
  );
}

/** Those who are named, each with a button that takes it out, and a search for more. */
export function ApproverList({
  value,
  onChange,
  empty = "",
  kinds = EVERY_KIND,
  action = "Name who may decide",
  more = "Add",
}: ListProps) {
  const [picking, setPicking] = useState(false);
  const known = useApprovers(kinds);
  const nameOf = useCallerNames();
  const add = (entry: string) => {
    if (!value.includes(entry)) onChange([...value, entry]);
    setPicking(false);
  };
  const remove = (entry: string) => {
    const rest = value.filter((item) => item !== entry);
    onChange(rest.length === 0 ? undefined : rest);
  };
  return (
    <div className="space-y-2">
      {value.length === 0 ? (
        <p className="text-sm text-ink-2 empty:hidden">{empty}</p>
      ) : (
        <ul className="space-y-1">
          {value.map((entry) => (
            <Chosen key={entry} approver={approverOf(entry, known, nameOf)} onRemove={() => remove(entry)} />
          ))}
        </ul>
      )}
      <Button size="sm" onClick={() => setPicking(true)}>
        <Plus /> {value.length === 0 ? action : more}
      </Button>
      {picking ? (
        <Picker chosen={value} kinds={kinds} onClose={() => setPicking(false)} onPick={add} />
      ) : null}
    </div>
  );
}

function Chosen({ approver, onRemove }: { readonly approver: Approver; readonly onRemove: () => void }) {
  const Icon = iconOf(approver.kind);
  return (
    <li className="flex items-center gap-2 rounded-md border border-line bg-sunken py-0.5 pl-2">
      <Icon aria-hidden className="size-4 shrink-0 text-ink-3" />
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block truncate">
          {approver.name}
        </span>
        <span className="block truncate text-xs text-ink-3">{approver.detail}</span>
      </span>
      <IconButton label={`Remove ${approver.name}`} onClick={onRemove}>
        <X />
      </IconButton>
    </li>
  );
}

const ITEM =
  "flex min-h-10 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1 data-[selected=true]:bg-hover [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-ink-3";
const GROUP =
  "[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-ink-3";

function Picker({
  chosen,
  kinds,
  onClose,
  onPick,
}: {
  readonly chosen: readonly string[];
  readonly kinds: readonly ApproverKind[];
  readonly onClose: () => void;
  readonly onPick: (entry: string) => void;
}) {
  const [typed, setTyped] = useState("");
  const known = useApprovers(kinds, useCalm(typed.trim(), 150)).filter(
    (approver) => !chosen.includes(approver.entry),
  );
  const entry = entryOf(typed);
  const isOffered = entry !== "" && kinds.includes(approverOf(entry, []).kind);
  return (
    <Dialog
      open
      onClose={onClose}
      title="Who may decide"
      shape="bare"
      className="sm:w-[min(34rem,calc(100vw-1.5rem))]"
    >
      <Command label="Who may decide" loop filter={matches} className="flex max-h-[70dvh] flex-col">
        <div className="flex items-center gap-2.5 border-b border-line px-4">
          <Search aria-hidden className="size-4 text-ink-3" />
          <Command.Input
            data-autofocus
            value={typed}
            onValueChange={setTyped}
            placeholder="Name or e-mail address"
            className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
          />
        </div>
        <Command.List className="scroll-y p-1.5">
          <Command.Empty className="px-3 py-8 text-center text-ink-2">
            Nothing matches. An e-mail address{kinds.includes("key") ? " or the id of a key" : ""} can be
            typed.
          </Command.Empty>
          {KINDS.map(({ kind, label, icon: Icon }) => {
            const list = known.filter((approver) => approver.kind === kind);
            return list.length === 0 ? null : (
              <Command.Group key={kind} heading={label} className={GROUP}>
                {list.map((approver) => (
                  <Command.Item
                    key={approver.entry}
                    value={`${approver.name} ${approver.detail} ${approver.entry}`}
                    onSelect={() => onPick(approver.entry)}
                    className={ITEM}
                  >
                    <Icon aria-hidden />
                    <span className="min-w-0 flex-1">
                      <span dir="auto" className="block truncate">
                        {approver.name}
                      </span>
                      <span className="block truncate text-xs text-ink-3">{approver.detail}</span>
                    </span>
                  </Command.Item>
                ))}
              </Command.Group>
            );
          })}
          {!isOffered || known.some((approver) => approver.entry === entry) ? null : (
            <Command.Item value={`typed ${typed}`} onSelect={() => onPick(entry)} className={ITEM}>
              <UserPen aria-hidden />
              <span className="min-w-0 flex-1 truncate">{saying(entry)}</span>
            </Command.Item>
          )}
        </Command.List>
      </Command>
    </Dialog>
  );
}

/** Those who can be named, as far as this caller may see them: the roles always, names of people
 * and groups with read-private, addresses and keys for an admin. Of many people the newest, or those who have the text. */
function useApprovers(kinds: readonly ApproverKind[], text = ""): readonly Approver[] {
  const { generation, keyed, person } = useExternal(session);
  const seesNamesOnly = person !== null && !person.scopes.includes("admin");
  const { roles = [] } = useOperation("list_roles", {}, { staleTime: Number.POSITIVE_INFINITY }).data ?? {};
  const people = useQuery({
    queryKey: ["approvers", "people", generation, text],
    enabled: keyed,
    placeholderData: keepPreviousData,
    // An admin sees addresses; everybody else who works here sees names.
    queryFn: async ({ signal }): Promise<readonly (PersonName & { readonly email?: string })[]> => {
      const input = { limit: 100, ...(text !== "" && { text: text.slice(0, 200) }) };
      const names = async () => (await call("list_people_names", input, { signal })).people;
      if (seesNamesOnly) return names();
      return call("list_people", input, { signal }).then(
        (found) => found.people,
        (error: unknown) => {
          if (error instanceof OperationError && error.status === 403) return names();
          throw error;
        },
      );
    },
  });
  const { groups = [] } = useOperation("list_groups", { limit: 100 }, { enabled: keyed }).data ?? {};
  const seesKeys = keyed && !seesNamesOnly && kinds.includes("key");
  const { keys = [] } = useOperation("list_keys", { limit: 100 }, { enabled: seesKeys }).data ?? {};
  const able = roles.filter(({ scopes }) => scopes.includes(APPROVE));
  const names = new Set(able.map(({ name }) => name));
  const all: readonly Approver[] = [
    // Naming a person who may not approve would make an approval that nobody can decide.
    ...(people.data ?? [])
      .filter(({ role, state }) => names.has(role) && state !== "disabled")
      .map(({ id, name, role, email }) => ({
        kind: "person" as const,
        entry: `person:${email ?? id}`,
        alias: `person:${id}`,
        name,
        detail: email === undefined ? role : `${email} · ${role}`,
      })),
    ...groups.map(({ id, name, members }) => ({
      kind: "group" as const,
      entry: `group:${name}`,
      alias: `group:${id}`,
      name,
      detail: members.length === 1 ? "Group of 1 person" : `Group of ${members.length} people`,
    })),
    ...able.map(({ name, about }) => ({
      kind: "role" as const,
      entry: `role:${name}`,
      name: `Every ${name}`,
      detail: about,
    })),
    ...keys
      .filter(({ scopes }) => scopes.includes(APPROVE))
      .map(({ id, name }) => ({ kind: "key" as const, entry: id, name, detail: `Key ${id}` })),
  ];
  return all.filter(({ kind }) => kinds.includes(kind));
}

/** What an entry of the document stands for; one that has no name here is shown as it is written. */
function approverOf(
  entry: string,
  known: readonly Approver[],
  nameOf: (id: string) => string = () => "",
): Approver {
  const found = known.find(({ entry: written, alias }) =>
    [written, alias].some((one) => one?.toLowerCase() === entry.toLowerCase()),
  );
  if (found !== undefined) return found;
  const [kind = "", name = ""] = entry.includes(":") ? entry.split(":", 2) : ["key", entry];
  const is = KINDS.find((item) => item.kind === kind)?.kind ?? "key";
  const detail = { person: "Person", group: "Group", role: "Role", key: "Key" }[is];
  return { kind: is, entry, name: is === "role" ? `Every ${name}` : nameOf(name) || name, detail };
}

/** How what was typed is written in the document: an address is a person, the rest is taken as it is. */
function entryOf(typed: string): string {
  const text = typed.trim();
  if (text === "" || /\s/.test(text)) return "";
  return text.includes("@") && !text.includes(":") ? `person:${text.toLowerCase()}` : text;
}

function saying(entry: string): string {
  const { detail, name } = approverOf(entry, []);
  return `${detail} “${name}”`;
}

function iconOf(kind: ApproverKind): LucideIcon {
  return KINDS.find((item) => item.kind === kind)?.icon ?? User;
}

/** Every typed word occurs; what was typed itself is always offered. */
function matches(value: string, query: string): number {
  const text = value.toLowerCase();
  if (
    !query
      .toLowerCase()
      .trim()
      .split(/\s+/)
      .every((word) => text.includes(word))
  )
    return 0;
  return text.startsWith("typed ") ? 0.1 : 1;
}
