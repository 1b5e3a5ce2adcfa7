/** Characters that XML 1.0 forbids even when escaped (§2.2): controls, lone surrogates, U+FFFE and U+FFFF. */
// oxlint-disable-next-line no-control-regex -- they are what is left out
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\'': '&#39;',
};

/** Escapes any text for an element or an attribute of an XML document. */
export const inXml = (text: string): string =>
  text.replaceAll(FORBIDDEN, '').replaceAll(/[&<>"']/gu, (sign) => ENTITIES[sign] ?? '');
