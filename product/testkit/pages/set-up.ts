import { installWindow } from './window/window.ts';

// Before anything of a page is imported: React looks for a window once.
installWindow();
