import type { Problem, Tree } from '../tree.ts';

const GUIDE = 'docs/look.md';
/** The German and Italian words of courtesy are also "they" and "her" where a sentence begins. */
const WITHIN = String.raw`(?<=[\p{L}\d,;)}»“’-] )`;

/** Words of the form of address that a language does not use, by `docs/look.md`. */
const REFUSED: Readonly<Record<string, { readonly form: string; readonly words: RegExp }>> = {
  de: { form: 'du', words: new RegExp(String.raw`${WITHIN}(?:Sie|Ihnen|Ihr|Ihre[mnrs]?)(?!\p{L})`, 'gu') },
  fr: {
    form: 'vous',
    words: /(?<!\p{L})(?:(?:tu|te|toi|ton|ta|tes|tiens|tiennes?)(?!\p{L})|t[’'](?=\p{L}))/giu,
  },
  es: { form: 'tú', words: /(?<!\p{L})(?:ustede?s?|vosotr[oa]s|vuestr[oa]s?|os)(?!\p{L})/giu },
  it: { form: 'tu', words: new RegExp(String.raw`${WITHIN}(?:Lei|Suo|Sua|Suoi|Sue)(?!\p{L})`, 'gu') },
  nl: { form: 'je', words: /(?<!\p{L})(?:u|uw|uwe|uzelf)(?!\p{L})/giu },
};

/** Every language addresses people in one form. */
export function formsOfAddress(tree: Tree): Problem[] {
  return [...tree.files].flatMap(([file, json]) => {
    const refused = REFUSED[/\/messages\/([a-z]+)\.json$/.exec(file)?.[1] ?? ''];
    if (!refused) return [];
    return json.split('\n').flatMap((line, at) => {
      const text = (/^\s*"[^"]*":\s*"(.*)",?$/.exec(line)?.[1] ?? line)
        .replaceAll(/\{\{[^}]*\}\}/g, '{}').replaceAll(String.raw`\n`, '. ');
      return [...text.matchAll(refused.words)].map(([word]) => ({
        file,
        line: at + 1,
        rule: 'form of address',
        advice: `"${word}": the form is ${refused.form} (${GUIDE})`,
      }));
    });
  });
}
