/** Letters of other scripts and styles that are read as Latin ones; `LICENSES.md` has Unicode's notice. */

/**
 * By Latin letter: what Unicode's confusables.txt (UTS #39) has for one and NFKD leaves, the small capitals,
 * and what pages of "fancy text" put in a letter's place. A capital stands here where its small letter is not
 * read the same.
 */
const BY_LETTER: Readonly<Record<string, string>> = {
  a: 'ɑαλДаᗅᗩᴀ卂ꓮꭺ𐊠𖽀',
  b: 'ƃƄʙβвьᏰᏴᑲᖯᗷ乃ꓐꞴꮟ𐊂𐊡𐌁',
  c: 'ƈсᑕᴄⲥ匚ꓚꮯ𐊢𐌂𐐽𐔜',
  d: 'ðđɖɗԁᑯᗞᗪᴅꓒꓓꭰꮷ',
  e: 'ɛεезэҽᴇⴹ乇ꓰꬲꭼ𐊆𑢦𑢮',
  f: 'ғƒϜքᖴẝ千ꓝꜰꞙꬵ𐊇𐊥𐔥𑣂',
  g: 'ƍɡɢԌցᏳᶃꓖꮐ',
  h: 'ħɦʜΗнһհᕼⲎ卄ꓧꮋꮒ𐋏',
  i: 'ꮖ丨ıɨɩɪιіӏᛁⲒⵏꓲꙇꭵ𑣃',
  j: 'ϳјᒍᴊꓙꞲꭻ',
  k: 'ƙκкҜᛕᴋⲔꓗꮶ𐔘',
  l: 'łƖǀʟլᒪⳐㄥꓡꮮ𐊊𐌉𐐛𐔦𑢣𑢲𖼖𖼨',
  m: 'ɱʍΜϺмᗰᛖᴍⲘ爪ꓟꮇ𐊰𐌑',
  n: 'ŋɲɳɴΝηипղոռᑎⲚ几ꓠꮑ𐔓',
  o: 'θøοσоօଠഠဝჿዐᴏᴑⲟⵔㄖꓳꬽ𐊒𐊫𐐬𐓪𐔖𑢵𑣈𑣗',
  p: 'ƥρрᑭᴘⲣ卩ꓑꮲ𐊕',
  q: 'ԛգզⵕꞯ',
  r: 'ɽɾʀгяᖇᴦⲅ尺ꓣꭇꭈꭱꮁꮢ𐒴𖼵',
  s: 'ƽʂѕՏᔕ丂ꓢꜱꮥꮪ𐊖𐑈𑣁𖼺',
  t: 'ͳŧƭʈτтᴛⲦㄒꓔꭲ𐊗𐊱𐌕𑢼𖼊',
  u: 'Ⴎʉʋυцմսሀᑌᴜㄩꓴꞟꭎꭒꮜ𐓶𑣘𖽂',
  v: 'νѵᐯᴠⴸꓦꛟꮩ𐔝𑜆𑣀𖼈',
  w: 'ɯωшѡԝաᗯᴡ山ꓪꮃꮤ𑜊𑜎𑜏',
  x: 'χхᕁᕽ᙭ᚷⲬⵝ乂ꓫꞳ𐊐𐊴𐌗𐔧',
  y: 'ɣʏΥγуүყᶌỿⲨㄚꓬꭚꭹꮍ𐊲𑢤𑣜𖽃',
  z: 'Ζᴢ乙ꓜꮓ𑢩𑣄',
};
const LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries(BY_LETTER).flatMap(([latin, others]) => [...others].map((one) => [one, latin] as const)));

/** The first of 26 in a row: letters in black circles and squares, and those that flags are made of. */
const EMBLEMS = [0x1F150, 0x1F170, 0x1F1E6] as const;
const LETTERS = 26;
const A = 'a'.codePointAt(0) ?? 0;
const EMBLEM = /[\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}\u{1F1E6}-\u{1F1FF}]/gu;

/** The Latin letter in lower case that a character is read as; null for one that is read as itself. */
export function latinOf(character: string): string | null {
  const latin = LATIN.get(character) ?? LATIN.get(character.toLowerCase());
  if (latin !== undefined) return latin;
  const code = character.codePointAt(0) ?? 0;
  const first = EMBLEMS.find((start) => code >= start && code < start + LETTERS);
  return first === undefined ? null : String.fromCodePoint(A + code - first);
}

/** A text without letters that are drawn as emblems: two of them may be a flag, and no letters. */
export const withoutEmblems = (text: string): string => text.replaceAll(EMBLEM, ' ');
