/** Letters of other scripts and styles that are read as Latin ones; `LICENSES.md` has Unicode's notice. */

/**
 * Look-alikes by Latin letter: those of Unicode's confusables.txt (UTS #39) that NFKD leaves, small capitals,
 * and characters of "fancy text" generators. A capital is listed where its small letter looks different.
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
  Object.entries(BY_LETTER).flatMap(([latin, others]) => [...others].map((text) => [text, latin] as const)),
);

/**
 * The first of 26 consecutive letters: in black circles, in black squares, and regional indicators (flags).
 */
const EMBLEMS = [0x1F150, 0x1F170, 0x1F1E6] as const;
const LETTERS = 26;
const A = 'a'.codePointAt(0) ?? 0;
const EMBLEM = /[\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}\u{1F1E6}-\u{1F1FF}]/gu;

/** The lower-case Latin letter that a character looks like; null when it looks like none. */
export function latinOf(character: string): string | null {
  const latin = LATIN.get(character) ?? LATIN.get(character.toLowerCase());
  if (latin !== undefined) return latin;
  const code = character.codePointAt(0) ?? 0;
  const first = EMBLEMS.find((start) => code >= start && code < start + LETTERS);
  return first === undefined ? null : String.fromCodePoint(A + code - first);
}

/** A text without letters drawn as emblems, because two of them may be a flag instead of letters. */
export const withoutEmblems = (text: string): string => text.replaceAll(EMBLEM, ' ');
