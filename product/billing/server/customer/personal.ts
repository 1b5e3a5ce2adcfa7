/** Names of fields in which billers tell who somebody is, in any of their spellings. */
const PERSONAL = new RegExp(
  '(?:name|email|mail|address|street|city|zip|postal|phone|tel|birth|ip$|ipaddress|state|customer_?fname'
  + '|customer_?lname|password|pass|username|user$|bill[a-z]+|account|iban)', 'iu',
);
const HIDDEN = '•••';

/** JSON with the values of personal fields hidden, however deep. */
function withoutFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFields);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) =>
    [name, PERSONAL.test(name) && typeof one !== 'object' ? HIDDEN : withoutFields(one)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** One line of a callback as staff may read it: JSON, XML or a form, without who somebody is. */
function lineWithoutPersons(line: string): string {
  const json = parsed(line);
  if (typeof json === 'object' && json !== null) return JSON.stringify(withoutFields(json));
  if (line.trimStart().startsWith('<')) {
    return line.replaceAll(/<([\w:.-]+)>[^<]*</gu, (whole, name: string) =>
      (PERSONAL.test(name) ? `<${name}>${HIDDEN}<` : whole));
  }
  return line.replaceAll(/(^|&)([^=&]+)=([^&]*)/gu, (whole, before: string, name: string) =>
    (PERSONAL.test(name) ? `${before}${name}=${HIDDEN}` : whole));
}

/** The text of a callback without personal fields. */
export const withoutPersons = (text: string): string =>
  (parsed(text) === undefined ? text.split('\n').map(lineWithoutPersons).join('\n')
    : lineWithoutPersons(text));
