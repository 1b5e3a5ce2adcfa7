import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

/** A field that a password manager fills in or saves. */
const ACCOUNT_PASSWORD = /^<PasswordField\b[^>]*autoComplete="(?:current|new)-password/u;
const USERNAME = /autoComplete="username|<OwnUsername \/>|<UsernameOf /u;

/**
 * Forms of a page that take the password of an account. The fields of a component that other forms include
 * count as a form.
 */
function passwordForms(page: string): string[] {
  const forms = new Set<ts.Node>();
  const visit = (node: ts.Node): void => {
    if (ts.isJsxSelfClosingElement(node) && ACCOUNT_PASSWORD.test(node.getText())) forms.add(formOf(node));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('page.tsx', page, ts.ScriptTarget.ES2023, true, ts.ScriptKind.TSX));
  return [...forms].map((form) => form.getText());
}

/** The form around a field, or the component that renders the field. */
function formOf(field: ts.Node): ts.Node {
  let at = field;
  while (!isForm(at) && !ts.isFunctionDeclaration(at) && !ts.isSourceFile(at)) at = at.parent;
  return at;
}

const isForm = (node: ts.Node): boolean =>
  ts.isJsxElement(node) && node.openingElement.tagName.getText() === 'form';

// In page tests no form takes a password without its username: `fill` of the testkit refuses to.
it('every form that takes the password of an account says to password managers whose it is', () => {
  const forms = readdirSync('product', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tsx') && !path.includes('.test.'))
    .map((path) => ({ path, page: readFileSync(join('product', path), 'utf8') }))
    .filter(({ page }) => page.includes('-password"'))
    .flatMap(({ path, page }) => passwordForms(page).map((form) => ({ path, form })));
  expect(forms.length).toBeGreaterThan(8);
  expect(forms.filter(({ form }) => !USERNAME.test(form)).map(({ path }) => path)).toEqual([]);
});

it('a form without its user is found beside one that has it', () => {
  const [field, user] = ['<PasswordField required autoComplete="current-password" />', '<OwnUsername />'];
  const page = (...forms: readonly string[]): string =>
    forms.map((form, at) => `export function F${at}() { return ${form}; }`).join('\n');
  const without = (text: string) => passwordForms(text).filter((form) => !USERNAME.test(form)).length;
  expect(without(page(`<form>${user}${field}</form>`, `<form>${user}${field}</form>`))).toBe(0);
  expect(without(page(`<form>${user}${field}</form>`, `<form>${field}</form>`))).toBe(1);
  expect(without(page(`<><form>${user}${field}</form><form>${field}</form></>`))).toBe(1);
  // Fields that a component lends to other forms bring their username along.
  expect(without(page(`<>${user}${field}</>`, `<>{asks ? ${field} : null}</>`))).toBe(1);
});
