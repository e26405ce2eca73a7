/** Builds a script, what it loads when a file is saved, and a style sheet, with fixed names, which the repository carries. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./",
  publicDir: false,
  build: {
    outDir: "../static/studyhub/dist",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: true,
    rollupOptions: {
      input: "src/main.ts",
      output: {
        entryFileNames: "app.js",
        assetFileNames: (asset) => (asset.names[0]?.endsWith(".css") ? "app.css" : "[name][extname]"),
        chunkFileNames: "[name].js",
      },
    },
  },
  test: { environment: "happy-dom", include: ["src/**/*.test.ts"] },
});
