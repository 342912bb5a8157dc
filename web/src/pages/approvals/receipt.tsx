import { Link, useSearch } from "@tanstack/react-router";
import { Download, ShieldCheck } from "lucide-react";
import { useEffect, useState } from "react";
import type { SigningKeyView } from "#model/provenance.ts";
import { download } from "../../lib/clipboard.ts";
import { checkText, type Checked } from "../../receipt/check.ts";
import { ReceiptView } from "../../receipt/receipt-view.tsx";
import { toast } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { TextFileDrop } from "../../ui/text-file-drop.tsx";
import { useOperation } from "../../api/operations.ts";
import { CheckField } from "../../ui/fields.tsx";

/** Checks a receipt or a proof in this page: a dropped file, or the receipt of a run. */
export function ReceiptPage() {
  const { run = "" } = useSearch({ strict: false });
  const [dropped, setDropped] = useState<string | null>(null);
  return (
    <Page
      title="Receipt"
      lead="A receipt proves what a run did. It is checked in this page: nothing is sent anywhere, and it works without a connection."
    >
      <div className="space-y-4">
        <Panel>
          <TextFileDrop
            accept=".json,application/json"
            label="Choose a receipt or proof file"
            hint="or drop a receipt or proof file here"
            className="rounded-lg border border-dashed border-line-strong p-4"
            overClassName="bg-accent-soft"
            onText={setDropped}
          >
            <p className="text-sm text-ink-2">
              Anybody can check a receipt, also without an account here. The file stays on this device.
            </p>
          </TextFileDrop>
        </Panel>
        {dropped === null ? null : <CheckedText key={dropped} text={dropped} />}
        {dropped === null && run !== "" ? <OfRun id={run} /> : null}
      </div>
    </Page>
  );
}

/** The receipt of a run of this service, to look at and to take away. */
function OfRun({ id }: { readonly id: string }) {
  const [withContent, setWithContent] = useState(false);
  const receipt = useOperation("get_run_receipt", { id, ...(withContent && { content: true }) });
  const text = receipt.data === undefined ? "" : JSON.stringify(receipt.data.receipt, null, 1);
  return (
    <>
      <Panel
        title="Receipt of this run"
        actions={
          <>
            <Link to="/runs/$id" params={{ id }} search={{}} className={buttonClass("ghost", "sm")}>
              Back to the run
            </Link>
            <Button
              size="sm"
              look="primary"
              disabled={text === ""}
              onClick={() => download(`${id}.receipt.json`, text)}
            >
              <Download /> Download the receipt
            </Button>
          </>
        }
      >
        <CheckField
          label={<span className="font-medium">Include inputs, results and decisions</span>}
          checked={withContent}
          onCheck={setWithContent}
          hint={
            withContent
              ? "Everybody who gets the file can read them, also values that the workflow hides from others."
              : "Without them the receipt proves that the run took place and how it ended, and shows no content."
          }
        />
      </Panel>
      <Load query={receipt}>{() => <CheckedText key={text} text={text} />}</Load>
    </>
  );
}

function CheckedText({ text }: { readonly text: string }) {
  const [checked, setChecked] = useState<Checked | null>(null);
  const [keys, setKeys] = useState<readonly SigningKeyView[]>();
  useEffect(() => {
    let current = true;
    const take = (result: Checked) => {
      if (current) setChecked(result);
    };
    void checkText(text, keys).then(take);
    return () => {
      current = false;
    };
  }, [text, keys]);
  if (checked === null) return <p role="status">Checking…</p>;
  return (
    <>
      <ReceiptView checked={checked} />
      {checked.kind === "refused" ? null : (
        <Panel title="The keys">
          <p className="mb-3 max-w-3xl text-ink-2">
            The file brings the public keys that its signatures are checked with. That they are the keys of
            the service you trust is another question: compare them with the keys that it publishes.
          </p>
          <Button size="sm" disabled={keys !== undefined} onClick={() => void publishedKeys().then(setKeys)}>
            <ShieldCheck /> {keys === undefined ? "Compare with the keys of this service" : "Compared"}
          </Button>
        </Panel>
      )}
    </>
  );
}

async function publishedKeys(): Promise<readonly SigningKeyView[] | undefined> {
  try {
    const response = await fetch("/.well-known/provenance.json", { cache: "no-store" });
    const { keys }: { readonly keys: readonly SigningKeyView[] } = JSON.parse(await response.text());
    return keys;
  } catch {
    toast("bad", "The keys of this service could not be fetched", "Compare them when you are online.");
    return undefined;
  }
}
