/** Strict parsers of formats that programs read: browsers forgive a broken document, feed readers do not. */

/** XML 1.0 §2.2. */
const NO_CHARACTER = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const REFERENCE = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});)/iu;
const NAME = String.raw`[A-Za-z_:][\w:.-]*`;
const TAG = new RegExp(String.raw`<(/?)(${NAME})((?:\s+${NAME}="[^"<]*")*)\s*(/?)>`, 'gu');

/** The prefixes that attributes declare (Namespaces in XML 1.0 §3). */
const declaredIn = (attributes: string): string[] =>
  [...attributes.matchAll(/\sxmlns:([\w.-]+)="[^"]+"/gu)].map(([, prefix = '']) => prefix);
/** The prefixes of an element and its attributes, but for those that need no declaration. */
const prefixesIn = (name: string, attributes: readonly string[]): string[] =>
  [name, ...attributes].flatMap((full) => (full.includes(':') ? full.split(':')[0] ?? '' : []))
    .filter((prefix) => prefix !== 'xml' && prefix !== 'xmlns');

/** The errors in a document of elements, attributes and text; empty for a well-formed one. */
export function xmlErrors(document: string): string[] {
  const errors: string[] = [];
  if (NO_CHARACTER.test(document)) errors.push('a character that XML forbids');
  if (REFERENCE.test(document)) errors.push('an ampersand that begins no reference');
  const body = document.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/u, '');
  const open: string[] = [];
  const declared: string[][] = [];
  let [at, roots] = [0, 0];
  for (const found of body.matchAll(TAG)) {
    const { index, 0: tag, 1: closes, 2: name = '', 3: attributes = '', 4: isEmpty } = found;
    const text = body.slice(at, index);
    at = index + tag.length;
    if (/[<]|\]\]>/u.test(text)) errors.push(`a sign of markup in the text before ${tag}`);
    if (open.length === 0 && text.trim() !== '') errors.push(`text outside of the root before ${tag}`);
    const names = [...attributes.matchAll(new RegExp(`(${NAME})=`, 'gu'))].map(([, one]) => one);
    if (new Set(names).size !== names.length) errors.push(`an attribute twice in ${tag}`);
    const own = declaredIn(attributes);
    for (const prefix of prefixesIn(name, names.filter((attribute) => attribute !== undefined))) {
      if (![...declared.flat(), ...own].includes(prefix)) errors.push(`an undeclared prefix in ${tag}`);
    }
    if (closes) {
      declared.pop();
      if (open.pop() !== name) errors.push(`${tag} closes another element`);
    } else {
      if (open.length === 0) roots += 1;
      if (isEmpty) continue;
      open.push(name);
      declared.push(own);
    }
  }
  if (open.length > 0) errors.push(`${open.join(', ')} left open`);
  if (roots !== 1) errors.push(`${roots} roots`);
  if (body.slice(at).trim() !== '') errors.push('text after the root');
  return errors;
}

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  VCALENDAR: ['VERSION', 'PRODID'],
  VEVENT: ['UID', 'DTSTAMP', 'DTSTART'],
  VTIMEZONE: ['TZID'],
  STANDARD: ['DTSTART', 'TZOFFSETFROM', 'TZOFFSETTO'],
};

/** Properties whose value is a text (RFC 5545 §3.3.11). */
const TEXTS = ['SUMMARY', 'DESCRIPTION', 'LOCATION', 'X-WR-CALNAME'];

/** The errors in a calendar (RFC 5545); empty for a valid one. */
export function calendarErrors(document: string): string[] {
  const errors: string[] = [];
  const physical = document.split('\r\n');
  if (physical.pop() !== '') errors.push('the last line has no end');
  if (/[\r\n]/u.test(physical.join(''))) errors.push('a line ends with one sign alone');
  if (physical.some((line) => Buffer.byteLength(line) > 75)) errors.push('a line of more than 75 bytes');
  const open: { name: string; properties: string[]; components: number }[] = [];
  for (const line of physical.join('\r\n').replaceAll('\r\n ', '').split('\r\n')) {
    const [, name = '', value = ''] = /^([A-Z-]+)(?:;[A-Z-]+=[^:;]+)*:(.*)$/u.exec(line) ?? [];
    if (name === '') errors.push(`no property: ${line}`);
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    if (/[\u0000-\u0008\u000A-\u001F\u007F]/u.test(value)) errors.push(`a control character in ${name}`);
    if (TEXTS.includes(name) && !/^(?:[^\\;,]|\\[\\;,nN])*$/u.test(value)) {
      errors.push(`a sign of its own in ${name}`);
    }
    if (name === 'BEGIN') open.push({ name: value, properties: [], components: 0 });
    else if (name === 'END') {
      const ended = open.pop();
      if (ended?.name !== value) errors.push(`END:${value} ends another component`);
      const parent = open.at(-1);
      if (parent) parent.components += 1;
      for (const one of NEEDED[value] ?? []) {
        const count = ended?.properties.filter((property) => property === one).length;
        if (count !== 1) errors.push(`${value} lacks ${one}`);
      }
      if (value === 'VCALENDAR' && ended?.components === 0) errors.push('a calendar without a component');
    } else open.at(-1)?.properties.push(name);
  }
  if (open.length > 0) errors.push('a component is left open');
  return errors;
}
