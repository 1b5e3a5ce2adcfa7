/** Names of billers' fields with personal data, in any spelling. */
const PERSONAL_FIELDS = new RegExp(
  '(?:name|email|mail|address|street|city|zip|postal|phone|tel|birth|ip$|ipaddress|state|customer_?fname'
    + '|customer_?lname|password|pass|username|user$|bill[a-z]+|account|iban)',
  'iu',
);
const HIDDEN = '•••';

/** Hides the values of personal fields in JSON, at any depth. */
function redactFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactFields);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map((
      [name, one],
    ) => [name, PERSONAL_FIELDS.test(name) && typeof one !== 'object' ? HIDDEN : redactFields(one)]),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Redacts one line of a callback: JSON, XML or a form. */
function redactLine(line: string): string {
  const json = parsed(line);
  if (typeof json === 'object' && json !== null) return JSON.stringify(redactFields(json));
  if (line.trimStart().startsWith('<')) {
    return line.replaceAll(
      /<([\w:.-]+)>[^<]*</gu,
      (whole, name: string) => (PERSONAL_FIELDS.test(name) ? `<${name}>${HIDDEN}<` : whole),
    );
  }
  return line.replaceAll(
    /(^|&)([^=&]+)=([^&]*)/gu,
    (
      whole,
      before: string,
      name: string,
    ) => (PERSONAL_FIELDS.test(name) ? `${before}${name}=${HIDDEN}` : whole),
  );
}

/** Redacts the text of a callback. */
export const redacted = (text: string): string => (parsed(text) === undefined
  ? text.split('\n').map(redactLine).join('\n')
  : redactLine(text));
