/** Media types that the server accepts as a picture. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

/** Why chosen files are not uploaded, by the type that the browser reports; null when they are. */
export type ChoiceFault = 'one_file' | 'not_image' | 'type';
export function choiceFault(files: readonly { readonly type: string }[]): ChoiceFault | null {
  const [file] = files;
  if (!file || files.length > 1) return 'one_file';
  if (!file.type.startsWith('image/')) return 'not_image';
  return (IMAGE_TYPES as readonly string[]).includes(file.type) ? null : 'type';
}
