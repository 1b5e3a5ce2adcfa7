import { describe, expect, it } from 'vitest';
import { formsOfAddress } from './texts/address.ts';
import { textValues, unusedTexts } from './texts/keys.ts';
import { treeOf, type Problem, type Tree } from './tree.ts';

const EN = 'product/tips/messages/en.json';
const inLanguage = (locale: string, text: string): Record<string, string> => ({
  [`product/tips/messages/${locale}.json`]: `{\n  "a": "${text}"\n}`,
});
const PAGE = 'product/tips/web/panel.tsx';
const withTranslation = (line: string): string => `const { t } = useTranslation('tips');\n${line}`;
/** English texts of tips, and what uses them. */
const TEXTS: readonly [(tree: Tree) => Problem[], Record<string, string>, RegExp | null][] = [
  [
    unusedTexts,
    { [EN]: '{"a":{"b":"x","c":"x"}}', [PAGE]: withTranslation('t(\'a.b\');') },
    /nothing uses a\.c/,
  ],
  [unusedTexts, { [EN]: '{"a":{"b":"x"}}', 'product/tips/tips.test.ts': 't(\'a.b\');' }, /nothing uses a\.b/],
  [
    unusedTexts,
    { [EN]: '{"a":{"b":"x"}}', [PAGE]: withTranslation('t(`a.${x ? \'c\' : \'d\'}`);') },
    /nothing uses a\.b/,
  ],
  [
    unusedTexts,
    { [EN]: '{"a":{"b":{"c":"x"}}}', [PAGE]: withTranslation('t(`a.${x}`);') },
    /nothing uses a\.b\.c/,
  ],
  [
    unusedTexts,
    { [EN]: '{"a":"x"}', 'product/rooms/server.ts': 'text(locale, \'rooms:a\');' },
    /nothing uses a/,
  ],
  [unusedTexts, { [EN]: '{"a":{"b":"x"}}', [PAGE]: withTranslation('t(`a.${x}`);') }, null],
  [unusedTexts, { [EN]: '{"a":{"b":"x"}}', [PAGE]: withTranslation('t(keyOf(\'tips\', \'a\', x));') }, null],
  [
    unusedTexts,
    { [EN]: '{"a_one":"x","a_other":"y"}', 'product/rooms/server.ts': 'text(l, \'tips:a\');' },
    null,
  ],
  [unusedTexts, {
    [EN]: '{"refusals":{"no":"x"},"mails":{"hello":{"subject":"x","text":"x"}}}',
    'product/tips/contract.ts':
      'const slice = \'tips\';\nexport const no = refusal({ slice, code: \'no\' });',
    'product/tips/server.ts': 'send({ kind: \'tips:mails.hello\' });',
  }, null],
  [
    textValues,
    { [EN]: '{"a":"{{name}}"}', [PAGE]: withTranslation('t(\'a\');') },
    /give tips:a its \{\{name/,
  ],
  [
    textValues,
    { [EN]: '{"a":"x"}', [PAGE]: withTranslation('t(\'a\', { name });') },
    /tips:a has no \{\{name/,
  ],
  [textValues, {
    [EN]: '{"a":"{{name}}"}',
    'product/rooms/server.ts': 'this.text(l, \'tips:a\', { nam: 1 });',
  }, /has no \{\{nam\}|its \{\{name/],
  [
    textValues,
    { [EN]: '{"a_one":"x","a_other":"{{count}}"}', [PAGE]: withTranslation('t(\'a\');') },
    /count/,
  ],
  [textValues, { [EN]: '{"a":{"b":"{{name}}"}}', [PAGE]: withTranslation('t(`a.${x}`);') }, /name/],
  [textValues, {
    [EN]: '{"refusals":{"no":"{{seconds}}"}}',
    'product/tips/contract.ts':
      'const slice = \'tips\';\nexport const no = refusal({ slice, code: \'no\' });',
    'product/tips/server.ts': 'context.refuse(no);',
  }, /seconds/],
  [textValues, {
    [EN]: '{"a":"{{name}}","b":"x"}',
    [PAGE]: withTranslation('t(x ? \'a\' : \'b\', { name });'),
  }, null],
  [textValues, { [EN]: '{"a":"{{name}}"}', [PAGE]: withTranslation('t(\'a\', values);') }, null],
  [formsOfAddress, inLanguage('fr', 'Connecte-toi.'), /"toi": the form is vous/],
  [formsOfAddress, inLanguage('fr', 'Si tu n’as rien, ta salle t’attend'), /"tu"/],
  [formsOfAddress, inLanguage('fr', 'A-t-il le statut de votre toit ? {{tu}}'), null],
  [formsOfAddress, inLanguage('de', 'Hier sehen Sie Ihre Käufe.'), /"Sie": the form is du/],
  [formsOfAddress, inLanguage('de', 'Die Karte ist weg. Sie wird nicht belastet.'), null],
  [formsOfAddress, inLanguage('es', 'Confirme su cuenta, usted puede'), /"usted": the form is tú/],
  [formsOfAddress, inLanguage('it', 'Questo è il Suo saldo'), /"Suo": the form is tu/],
  [formsOfAddress, inLanguage('nl', 'Bevestig uw adres'), /"uw": the form is je/],
];

describe('the rules of texts', () => {
  it.each(TEXTS)('%o, case %$', (rule, files, advice) => {
    const found = rule(treeOf(new Map(Object.entries(files)))).map((problem) => problem.advice);
    if (advice === null) expect(found).toEqual([]);
    else expect(found.some((text) => advice.test(text)), found.join('\n')).toBe(true);
  });
});
