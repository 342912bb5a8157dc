import { useMutation } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { useState } from "react";
import { signOut } from "../../api/account.ts";
import { call, useOperation, refreshOperation } from "../../api/operations.ts";
import { session, type SessionPerson } from "../../api/session.ts";
import { useExternal } from "../../lib/external.ts";
import { ago } from "../../lib/format.ts";
import { useSubmit } from "../../lib/use-submit.ts";
import { toast } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { SignedOut } from "../sign-in/signed-out.tsx";
import { InputField } from "../../ui/fields.tsx";
import { AbsencePanel } from "./account-absence.tsx";
import { NotificationsPanel } from "./account-notifications.tsx";
import { PasskeysPanel } from "./account-passkeys.tsx";
import { ErrorText } from "../../ui/error-text.tsx";

/** The signed-in person's own account: sessions, passkeys, password, recovery codes, out of office, mails. */
export function AccountPage() {
  const { person } = useExternal(session);
  if (person === null) {
    return (
      <Page title="Account">
        <SignedOut to="/account">An account belongs to a person. A key has none.</SignedOut>
      </Page>
    );
  }
  return (
    <Page
      title="Account"
      lead={`${person.name}, ${person.email}. Your role is ${person.role}.`}
      actions={
        <Button onClick={() => void signOut()}>
          <LogOut /> Sign out
        </Button>
      }
    >
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="min-w-0 space-y-4">
          <Sessions />
          <AbsencePanel personId={person.id} />
          <NotificationsPanel />
        </div>
        <div className="space-y-4">
          <PasskeysPanel />
          <NewPassword person={person} />
          <RecoveryCodes />
        </div>
      </div>
    </Page>
  );
}

function Sessions() {
  const sessions = useOperation("list_sessions", {});
  const end = useMutation({
    mutationFn: (id: string | null) =>
      id === null ? call("end_other_sessions", {}) : call("end_session", { id }),
    onSuccess: (_, id) => {
      toast("good", id === null ? "The other sessions have ended." : "The session has ended.");
      return refreshOperation("list_sessions");
    },
    onError: (error) => toast("bad", "No session has ended", error.message),
  });
  return (
    <Panel
      title="Sessions"
      flush
      actions={
        <Button size="sm" onClick={() => end.mutate(null)}>
          End all others
        </Button>
      }
    >
      <Load query={sessions}>
        {({ sessions: list }) => (
          <ul className="divide-y divide-line">
            {list.map((item) => {
              const { id, current } = item;
              return (
                <li key={id} className="flex items-center gap-3 px-4 py-2.5">
                  <div className="min-w-0 flex-1">
                    <p className="truncate font-medium" title={item.client}>
                      {current ? "This browser" : browserName(item.client)}
                    </p>
                    <p className="text-sm text-ink-2">
                      Signed in {ago(item.createdAt)} by {item.method}, last used {ago(item.lastUsedAt)}, from{" "}
                      {item.address}
                    </p>
                  </div>
                  {current ? null : (
                    <Button size="sm" onClick={() => end.mutate(id)}>
                      End
                    </Button>
                  )}
                </li>
              );
            })}
          </ul>
        )}
      </Load>
    </Panel>
  );
}

/** What a browser's long description of itself comes down to. */
function browserName(client: string): string {
  const known = ["Edg", "Firefox", "Chrome", "Safari"].find((name) => client.includes(name));
  return known === undefined ? client.slice(0, 60) || "Unknown browser" : known === "Edg" ? "Edge" : known;
}

function NewPassword({ person }: { readonly person: SessionPerson }) {
  const form = useSubmit(async ({ password = "", next = "" }, element) => {
    await call("set_password", { next, ...(password !== "" && { password }) }, { interactive: false });
    element.reset();
    toast("good", "The password is changed. Other sessions have ended.");
    await refreshOperation("list_sessions");
  });
  return (
    <Panel title="Password">
      <form onSubmit={form.onSubmit} className="space-y-4">
        <input type="hidden" name="username" autoComplete="username" value={person.email} readOnly />
        <InputField
          label="Current password"
          {...form.field("password")}
          type="password"
          autoComplete="current-password"
          hint="Leave it empty if you signed in with a passkey or a recovery code just now."
        />
        <InputField
          label="New password"
          {...form.field("next")}
          type="password"
          autoComplete="new-password"
          minLength={12}
          required
        />
        <ErrorText text={form.error} />
        <Button type="submit" busy={form.busy}>
          Change the password
        </Button>
      </form>
    </Panel>
  );
}

function RecoveryCodes() {
  const [codes, setCodes] = useState<readonly string[]>([]);
  const left = useOperation("get_account", {}).data?.recoveryCodesLeft ?? 0;
  const form = useSubmit(async ({ password = "" }, element) => {
    const input = password === "" ? {} : { password };
    setCodes((await call("create_recovery_codes", input, { interactive: false })).codes);
    element.reset();
    await refreshOperation("get_account");
  });
  return (
    <Panel title="Recovery codes">
      <p className="mb-3 text-ink-2">
        With a code you sign in when the password is lost. Each works once.{" "}
        {left === 0 ? "You have none." : `You have ${left} left.`}
      </p>
      {codes.length === 0 ? (
        <form onSubmit={form.onSubmit} className="space-y-4">
          <InputField
            label="Password, to make new codes"
            {...form.field("password")}
            type="password"
            autoComplete="current-password"
            hint="Not needed within 15 minutes of signing in with a passkey."
          />
          <ErrorText text={form.error} />
          <Button type="submit" busy={form.busy}>
            New recovery codes
          </Button>
        </form>
      ) : (
        <>
          <CodeBlock text={codes.join("\n")} label="recovery codes" />
          <p className="mt-2 text-sm text-ink-2">
            They are shown this once. Keep them where only you can read them.
          </p>
        </>
      )}
    </Panel>
  );
}
