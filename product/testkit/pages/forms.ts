import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TestSite } from '../site.ts';
import type { Visitor } from '../visitor.ts';
import { openPage } from './open-page.tsx';

type Page = Awaited<ReturnType<typeof openPage>>;

/** Somebody at a form, and the invalid input they send. */
interface Entry {
  readonly visitor: Visitor;
  /** Address of the page. */
  readonly at: string;
  /** CSS pixels of the window. */
  readonly width?: number;
  /** Goes to the form, types invalid input, and sends it. */
  readonly sends: (page: Page) => Promise<void>;
}

export interface FormCase {
  /** As {@link formsOf} names it. */
  readonly form: string;
  /** Label of the field with invalid input. */
  readonly field: string | RegExp;
  readonly entry: (site: TestSite) => Promise<Entry>;
}

/** A form that cannot take invalid input, with the reason. */
export interface FittingForm {
  readonly form: string;
  readonly because: string;
}

/** A form made by a hook, or one written in JSX. */
const FORM = /(?<!\w)(?:useForm\(\s*(\w+)|useFields(?:<[^(]*>)?\()|<form\b(?:=>|[^>])*?\sonSubmit=/gu;

/**
 * Names of the forms in folders of the product, as `browse/web/search/saved.tsx saveSearch`: the file, and
 * the call it makes; `fields` for a form without one of its own, or written in JSX by its page.
 */
export const formsOf = (folders: readonly string[]): readonly string[] =>
  folders.flatMap((folder) =>
    readdirSync(join('product', folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/u.test(file) && !file.includes('.test.'))
      .flatMap((file) => {
        const code = readFileSync(join('product', folder, file), 'utf8');
        const forms = [...code.matchAll(FORM)];
        return forms.map(([, call = 'fields']) => `${folder}/${file} ${call}`);
      })
  ).toSorted();

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
const nameOf = (control: Control): string => control.name || (control.labels?.[0]?.textContent ?? '');

/** Controls of a form whose value the browser itself would reject. */
const misfitsOf = (form: HTMLFormElement | null): readonly Control[] =>
  [...form?.querySelectorAll<Control>('input, select, textarea') ?? []]
    .filter((control) => control.willValidate && !control.validity.valid);

/** Visible text of the notes that describe an element. */
const notesOf = (page: Page, element: Element | null): string =>
  (element?.getAttribute('aria-describedby') ?? '').split(' ')
    .map((id) => document.getElementById(id)).filter((item) => item !== null && page.isShown(item))
    .map((item) => item?.textContent ?? '').join(' ').trim();

/** Whether an invalid control is marked, and explained beside itself or its group. */
const saysIt = (page: Page, control: Control): boolean =>
  notesOf(page, control.closest('[aria-invalid="true"]') ?? control.closest('fieldset[aria-describedby]')) !==
    '';

/** Sends invalid input: the field explains the error, has the focus, and retains the text. */
export async function showsAtField(site: TestSite, { field: label, entry }: FormCase): Promise<void> {
  const { visitor, at, width, sends } = await entry(site);
  const page = await openPage(site, visitor, at, {
    mayPrint: /\b4\d\d\b/u,
    ...(width === undefined ? {} : { width }),
  });
  await sends(page);
  const wrong = await page.until(() => {
    const [first] = [...document.querySelectorAll<HTMLInputElement>('[aria-invalid="true"]')]
      .filter((element) => page.isShown(element));
    if (!first) throw new Error('no field is marked as wrong');
    return first;
  });
  expect(wrong.getAttribute('aria-label') ?? wrong.labels?.[0]?.textContent).toMatch(label);
  expect(notesOf(page, wrong)).not.toBe('');
  const silent = misfitsOf(wrong.closest('form')).filter((control) => !saysIt(page, control));
  expect(silent.map(nameOf)).toEqual([]);
  await page.until(() => expect(page.focused).toBe(wrong));
  expect(await page.problems()).toEqual([]);
}
