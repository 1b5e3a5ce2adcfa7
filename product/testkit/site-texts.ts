import { loadTexts } from '#product/texts.ts';

/** Every text of the product, for tests of texts. */
export const siteTexts = loadTexts(new URL('../../', import.meta.url).pathname);
