import { useQuery } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useId, useState } from "react";
import { queryClient } from "../api/operations.ts";
import { session } from "../api/session.ts";
import { useExternal } from "../lib/external.ts";
import { ago } from "../lib/format.ts";
import { bagAt, bagsAt, textAt, textsAt, type Bag } from "../lib/read.ts";
import { useSubmit } from "../lib/use-submit.ts";
import { toast } from "../shell/notices.ts";
import { Load } from "../shell/states.tsx";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { Page, Panel } from "../ui/page.tsx";
import { TextField } from "../ui/text-field.tsx";
import { GroupsPanel } from "./people-groups.tsx";
import { TargetsPanel } from "./people-targets.tsx";
import { rest, getJson } from "../api/rest.ts";

interface Role {
  readonly name: string;
  readonly about: string;
  readonly scopes: readonly string[];
}

/** Who may sign in and as what: invite, give roles, disable. */
export function PeoplePage() {
  const { generation } = useExternal(session);
  const people = useQuery({
    queryKey: ["people", generation],
    queryFn: async ({ signal }) =>
      bagsAt(await getJson("/api/svc/people?limit=100", signal), "data", "people"),
  });
  const roles = useQuery({
    queryKey: ["roles"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<readonly Role[]> =>
      bagsAt(await getJson("/api/svc/roles", signal), "data", "roles").map((role) => ({
        name: textAt(role, "name"),
        about: textAt(role, "about"),
        scopes: textsAt(role, "scopes"),
      })),
  });
  const [link, setLink] = useState<Link | null>(null);
  const known = roles.data ?? [];
  return (
    <Page title="People" lead="Who may sign in. A role decides what a person may see and do.">
      <Load query={people}>
        {(list) => (
          <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
            <div className="min-w-0 space-y-4">
              {link === null ? null : <NewLink link={link} />}
              <Panel title={`${list.length} ${list.length === 1 ? "person" : "people"}`} flush>
                {list.length === 0 ? (
                  <p className="p-4 text-ink-2">
                    Nobody yet. The service prints the link for the first owner at its start.
                  </p>
                ) : (
                  <ul className="divide-y divide-line">
                    {list.map((person) => (
                      <Person
                        key={textAt(person, "id")}
                        person={person}
                        roles={known}
                        isLastOwner={isOwner(person) && list.filter(isOwner).length === 1}
                        onLink={setLink}
                      />
                    ))}
                  </ul>
                )}
              </Panel>
              <GroupsPanel people={list} />
              <TargetsPanel people={list} />
            </div>
            <Invite roles={known} onLink={setLink} />
          </div>
        )}
      </Load>
      <RoleTable roles={known} />
    </Page>
  );
}

interface Link {
  readonly email: string;
  readonly url: string;
}

function linkIn(answer: unknown): Link {
  const data = bagAt(answer, "data");
  return { email: textAt(bagAt(data, "person"), "email"), url: textAt(bagAt(data, "invitation"), "url") };
}

function NewLink({ link }: { readonly link: Link }) {
  return (
    <Panel title={`Link for ${link.email}`}>
      <CodeBlock text={link.url} label="link" />
      <p className="mt-2 text-sm text-ink-2">
        It is shown this once and works once. Send it to the person by a way you trust.
      </p>
    </Panel>
  );
}

function refresh(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ["people"] });
}

const isOwner = (person: Bag): boolean =>
  textAt(person, "role") === "owner" && textAt(person, "state") === "active";

function Person({
  person,
  roles,
  isLastOwner,
  onLink,
}: {
  readonly person: Bag;
  readonly roles: readonly Role[];
  /** The service refuses to be without an owner. */
  readonly isLastOwner: boolean;
  readonly onLink: (link: Link) => void;
}) {
  const id = textAt(person, "id");
  const name = textAt(person, "name");
  const state = textAt(person, "state");
  const [problem, setProblem] = useState("");
  const attempt = (work: () => Promise<void>) => {
    setProblem("");
    void work()
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : "It did not work."))
      .finally(() => void refresh());
  };
  const [goesOn, setGoesOn] = useState<readonly Bag[]>([]);
  const change = (body: object) =>
    attempt(async () => {
      const answer = await rest(`/api/svc/people/${id}`, { method: "PATCH", body });
      setGoesOn(bagsAt(answer, "data", "goesOn"));
      toast("good", `${name} was changed.`);
    });
  const lastSignIn = textAt(person, "lastSignInAt");
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-52">
          <p className="truncate font-medium">{name}</p>
          <p className="truncate text-sm text-ink-2">
            {textAt(person, "email")} ·{" "}
            {state === "active"
              ? lastSignIn === ""
                ? "has not signed in yet"
                : `signed in ${ago(lastSignIn)}`
              : state}
          </p>
        </div>
        <select
          aria-label={`Role of ${name}`}
          className="field-control w-auto"
          value={textAt(person, "role")}
          disabled={isLastOwner}
          title={isLastOwner ? "There is always an owner. Make somebody else an owner first." : undefined}
          onChange={(event) => change({ role: event.target.value })}
        >
          {roles.map((role) => (
            <option key={role.name} value={role.name}>
              {role.name}
            </option>
          ))}
        </select>
        {state === "disabled" ? (
          <Button size="sm" onClick={() => change({ state: "active" })}>
            Enable
          </Button>
        ) : (
          <>
            <Button
              size="sm"
              onClick={() =>
                attempt(async () => onLink(linkIn(await rest(`/api/svc/people/${id}/link`, { body: {} }))))
              }
            >
              New link
            </Button>
            {isLastOwner ? null : (
              <Button size="sm" look="danger" onClick={() => change({ state: "disabled" })}>
                Disable
              </Button>
            )}
          </>
        )}
      </div>
      {problem === "" ? null : (
        <p role="alert" className="mt-1 text-sm text-bad">
          {problem}
        </p>
      )}
      {state === "disabled" && goesOn.length > 0 ? <GoesOn made={goesOn} /> : null}
    </li>
  );
}

const MADE: Readonly<Record<string, string>> = {
  key: "API key",
  webhook: "Webhook to",
  notification_target: "Notifications to",
  credential: "Shared credential",
};

/** What a disabled person made that goes on working. */
function GoesOn({ made }: { readonly made: readonly Bag[] }) {
  return (
    <div className="mt-2 text-sm">
      <p className="font-medium">Made by this person and still working. Remove what should not:</p>
      <ul className="list-disc pl-5">
        {made.map((one) => (
          <li key={`${textAt(one, "kind")} ${textAt(one, "id")}`}>
            {MADE[textAt(one, "kind")]} {textAt(one, "name")}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Invite({
  roles,
  onLink,
}: {
  readonly roles: readonly Role[];
  readonly onLink: (link: Link) => void;
}) {
  const id = useId();
  const form = useSubmit(async ({ email, name, role }, element) => {
    const body = { email, role, ...(name !== "" && { name }) };
    onLink(linkIn(await rest("/api/svc/people", { body })));
    element.reset();
    await refresh();
  });
  return (
    <Panel title="Invite a person">
      <form onSubmit={form.onSubmit} className="space-y-4">
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          autoComplete="off"
          required
          problem={form.problem("email")}
        />
        <TextField label="Name" name="name" autoComplete="off" problem={form.problem("name")} />
        <div>
          <label htmlFor={id} className="mb-1 block font-medium">
            Role
          </label>
          <select id={id} name="role" className="field-control" defaultValue="viewer" key={roles.length}>
            {roles.map((role) => (
              <option key={role.name} value={role.name}>
                {role.name}
              </option>
            ))}
          </select>
        </div>
        {form.error === "" ? null : (
          <p role="alert" className="text-sm text-bad">
            {form.error}
          </p>
        )}
        <Button look="primary" type="submit" busy={form.busy}>
          <UserPlus /> Invite
        </Button>
      </form>
    </Panel>
  );
}

function RoleTable({ roles }: { readonly roles: readonly Role[] }) {
  return (
    <Panel title="Roles" className="mt-4">
      <dl className="space-y-2">
        {roles.map((role) => (
          <div key={role.name}>
            <dt className="font-medium">{role.name}</dt>
            <dd className="text-ink-2">
              {role.about} <span className="text-sm">Scopes: {role.scopes.join(", ")}.</span>
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
