# The Worker on a machine of your own, without nodejs_compat. On Cloudflare, wrangler.toml takes the place of this file.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [
    # Cloudflare sets this header.
    (name = "http", service = "main", http = (injectRequestHeaders = [(name = "CF-Connecting-IP", value = "192.0.2.1")])),
  ],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "dist/worker.js")],
  compatibilityDate = "2026-11-01",
  bindings = [
    (name = "UPSTASH_REDIS_REST_URL", fromEnvironment = "UPSTASH_REDIS_REST_URL"),
    (name = "UPSTASH_REDIS_REST_TOKEN", fromEnvironment = "UPSTASH_REDIS_REST_TOKEN"),
    (name = "SUBJECT_SECRET", fromEnvironment = "SUBJECT_SECRET"),
  ],
);
