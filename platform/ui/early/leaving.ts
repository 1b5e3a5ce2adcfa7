import { DISCREET, EXIT_ADDRESS, EXIT_KEY, EXIT_TO, LEAVE } from '../faults/quick-exit.ts';
import { ENDS_FIRST, SAME_KEY_MS, TAKEN } from '../forms/composing.ts';

/** The most time between two presses of Escape that leave the page: a single one closes whatever is open. */
const TWICE_MS = 500;

/** Elements that a single Escape closes; such a press does not count towards leaving. */
const CLOSABLE = 'dialog[open],[role=menu],[role=listbox]';
/** Elements that Escape closes only while they have the focus: a room stays usable around its panels. */
const CLOSABLE_AROUND = '[role=dialog]';
/** Where Escape leaves nothing: a performer who streams there could end a show by closing two things. */
const CONSOLE = '/go-live';

/** Title of the neutral page and of discreet tabs, by language. */
const NOTES = { en: 'Notes', de: 'Notizen', es: 'Notas', fr: 'Bloc-notes', it: 'Appunti', nl: 'Notities' };

/**
 * Runs before everything else in a document, so that leaving waits for nothing: audio and video end, the page
 * and its title disappear, and another page replaces it in the history. A discreet tab has a neutral title
 * and no icon, whatever title the page sets later. This runs before the guard of input methods, so it has to
 * ignore their keys by the same rule.
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
