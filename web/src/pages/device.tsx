import { OperationError } from "@workflow-ui/client";
import { useSearch } from "@tanstack/react-router";
import { CircleCheck, CircleX } from "lucide-react";
import { useState } from "react";
import { bagAt, type Bag } from "../lib/read.ts";
import { useSubmit } from "../lib/use-submit.ts";
import { Button } from "../ui/button.tsx";
import { Empty, Page, Panel } from "../ui/page.tsx";
import { TextField } from "../ui/text-field.tsx";
import { CannotConnect, ConsentForm } from "./consent-form.tsx";
import { rest } from "../api/rest.ts";

/** A program without a browser shows a code: the person types it here and decides. */
export function DevicePage() {
  const { user_code: given = "" } = useSearch({ strict: false });
  const [asked, setAsked] = useState<{ readonly code: string; readonly details: Bag } | null>(null);
  const [signedOut, setSignedOut] = useState<Error | null>(null);
  const [done, setDone] = useState<"connected" | "denied" | null>(null);
  const form = useSubmit(async ({ code = "" }) => {
    try {
      const answer = await rest("/api/svc/oauth/codes/look", { body: { code }, interactive: false });
      setAsked({ code, details: bagAt(answer, "data") });
    } catch (error) {
      if (error instanceof OperationError && error.status === 401) setSignedOut(error);
      else throw error;
    }
  });
  return (
    <Page title="Connect a program" lead="The program shows a code of eight letters. Type it here.">
      {done !== null ? (
        <Panel className="max-w-2xl">
          <Empty
            icon={done === "connected" ? <CircleCheck /> : <CircleX />}
            title={done === "connected" ? "The program is connected" : "The program is not connected"}
          >
            You can close this page.
          </Empty>
        </Panel>
      ) : signedOut !== null ? (
        <CannotConnect
          error={signedOut}
          to={given === "" ? "/device" : `/device?user_code=${encodeURIComponent(given)}`}
        />
      ) : asked === null ? (
        <Panel className="max-w-md">
          <form onSubmit={form.onSubmit} className="space-y-4">
            <TextField
              label="Code"
              name="code"
              defaultValue={given}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              required
              problem={form.problem("code")}
            />
            {form.error === "" ? null : (
              <p role="alert" className="text-sm text-bad">
                {form.error}
              </p>
            )}
            <Button look="primary" type="submit" busy={form.busy}>
              Go on
            </Button>
          </form>
        </Panel>
      ) : (
        <ConsentForm
          asked={asked.details}
          decide={async (decision) => {
            const body = { code: asked.code, ...decision };
            await rest("/api/svc/oauth/codes/decide", { body, interactive: false });
            setDone("denied" in decision ? "denied" : "connected");
          }}
        />
      )}
    </Page>
  );
}
