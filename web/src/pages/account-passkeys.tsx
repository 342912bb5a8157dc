import { useQuery } from "@tanstack/react-query";
import { Fingerprint } from "lucide-react";
import { useState } from "react";
import { addPasskey, localhostPage, passkeysWork } from "../api/passkeys.ts";
import { queryClient } from "../api/operations.ts";
import { ago } from "../lib/format.ts";
import { bagsAt, flagAt, textAt, type Bag } from "../lib/read.ts";
import { useSubmit } from "../lib/use-submit.ts";
import { toast } from "../shell/notices.ts";
import { Load } from "../shell/states.tsx";
import { Button } from "../ui/button.tsx";
import { Panel } from "../ui/page.tsx";
import { TextField } from "../ui/text-field.tsx";
import { rest } from "../api/rest.ts";

const PASSKEYS = "/api/svc/passkeys";

function refresh(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ["own-passkeys"] });
}

/** The signed-in person's passkeys: add, rename, remove. */
export function PasskeysPanel({ generation }: { readonly generation: number }) {
  const passkeys = useQuery({
    queryKey: ["own-passkeys", generation],
    queryFn: async ({ signal }) => bagsAt(await rest(PASSKEYS, { signal }), "data", "passkeys"),
  });
  return (
    <Panel title="Passkeys" flush>
      <Load query={passkeys}>
        {(list) => (
          <>
            {list.length === 0 ? (
              <p className="px-4 pt-4 text-ink-2">
                No passkeys yet. With one you sign in by fingerprint, face or PIN of your device, and can sign
                approvals.
              </p>
            ) : (
              <ul className="divide-y divide-line">
                {list.map((passkey) => (
                  <Passkey key={textAt(passkey, "id")} passkey={passkey} />
                ))}
              </ul>
            )}
            <div className="border-t border-line p-4 first:border-t-0">
              {passkeysWork() ? <AddPasskey /> : <NotHere />}
            </div>
          </>
        )}
      </Load>
    </Panel>
  );
}

/** Why passkeys cannot be used at this address, and where they can. */
function NotHere() {
  const page = localhostPage();
  return (
    <p className="text-sm text-ink-2">
      Passkeys need a secure address with a name.{" "}
      {page === null ? (
        "Open this page over https."
      ) : (
        <>
          Open it at <a href={page}>localhost</a> instead.
        </>
      )}
    </p>
  );
}

function AddPasskey() {
  const form = useSubmit(async ({ name = "", password = "" }, element) => {
    await addPasskey(name, password);
    element.reset();
    toast("good", "The passkey is added.");
    await refresh();
  });
  return (
    <form onSubmit={form.onSubmit} className="space-y-4">
      <TextField
        label="Name of the new passkey"
        name="name"
        autoComplete="off"
        required
        hint="Such as the device that holds it."
        problem={form.problem("name")}
      />
      <TextField
        label="Your password, if you have one"
        name="password"
        type="password"
        autoComplete="current-password"
        hint="Not needed within 15 minutes of signing in with a passkey or a recovery code."
        problem={form.problem("password")}
      />
      {form.error === "" ? null : (
        <p role="alert" className="text-sm text-bad">
          {form.error}
        </p>
      )}
      <Button type="submit" busy={form.busy}>
        <Fingerprint /> Add a passkey
      </Button>
    </form>
  );
}

function Passkey({ passkey }: { readonly passkey: Bag }) {
  const name = textAt(passkey, "name");
  const path = `${PASSKEYS}/${encodeURIComponent(textAt(passkey, "id"))}`;
  const lastUsed = textAt(passkey, "lastUsedAt");
  const [isRenaming, setRenaming] = useState(false);
  const [problem, setProblem] = useState("");
  const attempt = (work: () => Promise<unknown>) => {
    setProblem("");
    void work()
      .then(() => setRenaming(false))
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : "It did not work."))
      .finally(() => void refresh());
  };
  return (
    <li className="px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {isRenaming ? (
          <form
            className="flex min-w-0 flex-1 basis-40 gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              const next = new FormData(event.currentTarget).get("name");
              attempt(() => rest(path, { method: "PATCH", body: { name: next } }));
            }}
          >
            <input
              aria-label={`New name of ${name}`}
              name="name"
              defaultValue={name}
              className="field-control"
            />
            <Button size="sm" type="submit">
              Save
            </Button>
          </form>
        ) : (
          <div className="min-w-0 flex-1 basis-40">
            <p className="truncate font-medium">{name}</p>
            <p className="text-sm text-ink-2">
              Added {ago(textAt(passkey, "createdAt"))},{" "}
              {lastUsed === "" ? "not used yet" : `last used ${ago(lastUsed)}`}
              {flagAt(passkey, "synced") ? ", on several devices" : ""}
            </p>
          </div>
        )}
        <Button size="sm" aria-label={`Rename ${name}`} onClick={() => setRenaming(!isRenaming)}>
          {isRenaming ? "Cancel" : "Rename"}
        </Button>
        <Button
          size="sm"
          look="danger"
          aria-label={`Remove ${name}`}
          onClick={() => attempt(() => rest(path, { method: "DELETE" }))}
        >
          Remove
        </Button>
      </div>
      {problem === "" ? null : (
        <p role="alert" className="mt-1 text-sm text-bad">
          {problem}
        </p>
      )}
    </li>
  );
}
