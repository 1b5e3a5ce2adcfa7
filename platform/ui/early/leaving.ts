import { DISCREET, EXIT_ADDRESS, EXIT_KEY, EXIT_TO, LEAVE } from '../faults/quick-exit.ts';
import { ENDS_FIRST, SAME_KEY_MS, TAKEN } from '../forms/composing.ts';

/** Two presses of Escape this close together mean it: one alone closes what is open. */
const TWICE_MS = 500;

/** What one Escape closes: such a press is none of the two. */
const CLOSABLE = 'dialog[open],[role=menu],[role=listbox]';
/** What it closes only where it has the focus: a room goes on around its panels. */
const CLOSABLE_AROUND = '[role=dialog]';
/** Where nobody leaves by Escape: who streams there would end a show by closing two things. */
const CONSOLE = '/go-live';

/** Word of the neutral page, and of a tab that is discreet, by language. */
const NOTES = { en: 'Notes', de: 'Notizen', es: 'Notas', fr: 'Bloc-notes', it: 'Appunti', nl: 'Notities' };

/**
 * Runs before everything else in a document, so that leaving waits for nothing: sound and pictures end, the
 * page disappears with its title, and another takes its place in the history. A tab that is discreet keeps a
 * neutral title and no icon, whatever the page says later. It runs before the guard of input methods, and so
 * leaves their keys alone by the same rule.
 */
export const QUICK_EXIT = `(()=>{const d=document,w=${JSON.stringify(NOTES)};`
  + 'const stored=(k)=>{try{return localStorage.getItem(k)}catch{return null}};'
  + 'const lang=()=>(w[d.documentElement.lang]?d.documentElement.lang:"en");let last=-1e9;'
  + `const leave=()=>{const to=stored("${EXIT_TO}")||"";`
  + 'd.querySelectorAll("video,audio").forEach((m)=>{m.pause();m.srcObject=null;m.removeAttribute("src")});'
  + 'd.documentElement.style.display="none";d.title=w[lang()];'
  + `location.replace(${EXIT_ADDRESS.toString()}.test(to)?to:"/notes/"+lang()+".html")};`
  + `addEventListener("${LEAVE}",leave);`
  + 'let ended=-1e9;addEventListener("compositionend",(e)=>{ended=e.timeStamp},true);'
  + 'addEventListener("keydown",(e)=>{'
  + `const after=navigator.vendor.startsWith("${ENDS_FIRST}")&&Math.abs(e.timeStamp-ended)<${SAME_KEY_MS};`
  + `if(after)ended=-1e9;if(after||e.repeat||e.isComposing||e.keyCode==${TAKEN})return;`
  + `if(e.key!==(stored("${EXIT_KEY}")||"Escape"))return;const now=Date.now();`
  + `const closes=d.fullscreenElement||location.pathname=="${CONSOLE}"||d.querySelector("${CLOSABLE}")`
  + `||e.target instanceof Element&&e.target.closest("${CLOSABLE_AROUND}");`
  + 'if(e.key=="Escape"&&closes)return;'
  + `if(e.key!=="Escape"||now-last<=${TWICE_MS})dispatchEvent(new Event("${LEAVE}"));last=now},true);`
  + `const hide=()=>{if(!stored("${DISCREET}"))return;const i=d.querySelector("link[rel=icon]");`
  + 'if(d.title&&d.title!==w[lang()])d.title=w[lang()];if(i&&i.href!=="data:,")i.href="data:,"};'
  + 'new MutationObserver(hide).observe(d.head,{childList:true,subtree:true,characterData:true});'
  + `addEventListener("${DISCREET}",hide);hide()})();`;
