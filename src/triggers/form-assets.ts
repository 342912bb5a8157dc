import { hash } from "node:crypto";

/** The look of a form page. */
export const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:0}main{max-width:36rem;margin:0 auto;padding:1.5rem 1rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;margin:0 0 .5rem}p{margin:.5rem 0}label,legend{display:block;font-weight:600;margin-top:1rem}
input,select,textarea{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;margin-top:.25rem;border:1px solid #767676;border-radius:.25rem}
input[type=checkbox]{width:1.5rem;height:1.5rem}textarea{min-height:6rem}small{display:block}.trap{position:absolute;left:-9999px}
button{font:inherit;padding:.6rem 1.2rem;margin:1.5rem .5rem 0 0;min-height:2.75rem}.problem{border-left:4px solid #b3261e;padding-left:.75rem}
fieldset{border:0;margin:0;padding:0;min-width:0}.step>legend{font-size:1.15rem}.part,.variant,.row{border-left:2px solid #767676;padding-left:.75rem;margin-top:1rem}.part>legend{float:left;width:100%;margin:0}.part>legend+*{clear:both}.part button,.row button,.look{margin-top:.75rem;padding:.35rem .8rem}.choice{display:flex;align-items:center;gap:.5rem}.choice label{margin:0;font-weight:400}.choice input{flex:none}.wrong{color:light-dark(#b3261e,#ffb4ab)}.live .look{display:none}.first{position:absolute;left:-9999px;margin:0}[hidden]{display:none}.logo{display:block;max-width:12rem;max-height:5rem;margin-bottom:1rem}
pre,p,li,dd{white-space:pre-line}dt{font-weight:600}dd{margin:0 0 .5rem}`;

/**
 * What a script adds: steps one after the other, which are one long page without it; fields that come and go with what is
 * chosen, for which there are buttons without it; the state of the run, looked at again
 * while it goes on, less and less often; and the header that lets a session count, which says that a request comes from
 * our own page.
 */
export const SCRIPT = `const own={headers:{"x-suite-page":"1"}},read=async(r)=>new DOMParser().parseFromString(await r.text(),"text/html");
let at=0;document.documentElement.classList.add("live");
const watch=(ms)=>{const s=document.querySelector("#state[data-look]");if(s)setTimeout(async()=>{try{if(!document.hidden){const n=(await read(await fetch(s.dataset.look,own))).querySelector("#state");
if(n){if(n.textContent!==s.textContent)s.replaceChildren(...n.childNodes);if(!n.dataset.look)delete s.dataset.look}}}catch{}if(s.isConnected)watch(Math.min(ms*1.25,15000))},ms)};
const begin=(isNew)=>{watch(2000);const f=document.querySelector("form");const steps=f?[...f.querySelectorAll(".step")]:[];if(steps.length<2)return;
const button=(text)=>{const b=document.createElement("button");b.type="button";b.textContent=text;return b};
const send=f.querySelector(".send"),back=button("Back"),next=button("Next");send.before(back,next);
const show=(n,moved)=>{at=n;steps.forEach((s,i)=>{s.hidden=i!==at});back.hidden=at===0;next.hidden=at===steps.length-1;send.hidden=!next.hidden;if(moved)steps[at].querySelector("legend").focus()};
back.onclick=()=>show(at-1,true);next.onclick=()=>{const wrong=[...steps[at].querySelectorAll("input,select,textarea")].find((e)=>!e.checkValidity());if(wrong)wrong.reportValidity();else show(at+1,true)};
f.addEventListener("keydown",(e)=>{if(e.key==="Enter"&&e.target.tagName==="INPUT"&&!next.hidden){e.preventDefault();next.click()}});
const wrong=steps.findIndex((s)=>s.querySelector(".wrong"));show(isNew?Math.max(0,wrong):Math.min(at,steps.length-1),false)};
const post=async(f,body)=>read(await fetch(f.action,{method:"POST",...own,body}));
const redraw=(f,d)=>{const n=d.querySelector("form");if(!n||!f.isConnected)return false;const focus=document.activeElement?.id;
for(const e of [...n.elements]){const o=e.id?f.querySelector("#"+CSS.escape(e.id)):null;if(!o||o.type!==e.type||o.name!==e.name)continue;if(e.type==="select-one")e.value=o.value;else if(e.tagName!=="BUTTON"&&e.tagName!=="FIELDSET")e.replaceWith(o)}
f.replaceWith(n);begin(false);const place=n.querySelector("[autofocus]")??(focus&&document.getElementById(focus));if(place)place.focus();return true};
const shape=(f)=>[...f.elements].filter((e)=>e.type!=="button").map((e)=>e.name+"="+e.type+(e.name.endsWith("[]")?e.value:"")).join();
document.addEventListener("change",async(e)=>{const f=e.target.form;if(!f||!("live" in f.dataset))return;const body=new FormData(f);body.set("_look","1");
try{const d=await post(f,body),n=d.querySelector("form");if(n&&shape(n)!==shape(f))redraw(f,d)}catch{}});
document.addEventListener("submit",async(e)=>{e.preventDefault();const f=e.target,body=new FormData(f,e.submitter);const all=[...f.querySelectorAll("button")];all.forEach((b)=>{b.disabled=true});
try{const d=await post(f,body);if(/^_(add|remove|open|look)$/.test(e.submitter?.name)&&redraw(f,d))return;const m=document.querySelector("main");m.replaceWith(d.querySelector("main")??m);document.querySelector("main").focus();begin(true)}
finally{all.forEach((b)=>{b.disabled=false})}});begin(true);`;

const source = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`;
const POLICY = `default-src 'none'; style-src ${source(STYLE)}; script-src ${source(SCRIPT)}; connect-src 'self'; form-action 'self'; base-uri 'none'`;

/** The headers of a page. Our own pages show it in a frame, as a preview, and so may the origins of the trigger. */
export function pageHeaders({
  embedOrigins = [],
  logo,
}: {
  readonly embedOrigins?: readonly string[];
  readonly logo?: string;
}): Readonly<Record<string, string>> {
  const images = logo === undefined ? "" : "; img-src data:";
  const frames = ["'self'", ...embedOrigins].join(" ");
  return { "content-security-policy": `${POLICY}${images}; frame-ancestors ${frames}` };
}
