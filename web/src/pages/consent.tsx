import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { session } from "../api/session.ts";
import { useExternal } from "../lib/external.ts";
import { bagAt, textAt } from "../lib/read.ts";
import { Page, Skeleton } from "../ui/page.tsx";
import { CannotConnect, ConsentForm } from "./consent-form.tsx";
import { rest } from "../api/rest.ts";

/** A client sent the person here: who asks, for what, yes or no. */
export function ConsentPage() {
  const { uid = "" } = useParams({ strict: false });
  const { generation } = useExternal(session);
  const path = `/oauth/requests/${uid}`;
  const request = useQuery({
    queryKey: ["oauth-request", uid, generation],
    retry: false,
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }) =>
      bagAt(await rest(`${path}/details`, { signal, interactive: false }), "data"),
  });
  return (
    <Page title="Connect a program">
      {request.data !== undefined ? (
        <ConsentForm
          asked={request.data}
          decide={async (body) => {
            const answer = await rest(`${path}/decision`, { body, interactive: false });
            window.location.assign(textAt(bagAt(answer, "data"), "continueAt"));
          }}
        />
      ) : request.error === null ? (
        <Skeleton lines={5} />
      ) : (
        <CannotConnect error={request.error} to={path} />
      )}
    </Page>
  );
}
