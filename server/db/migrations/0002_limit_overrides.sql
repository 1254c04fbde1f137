CREATE TYPE "public"."limit_mode" AS ENUM('enforce', 'shadow', 'off');--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"who" text NOT NULL,
	"what" text NOT NULL,
	"target" text NOT NULL,
	"before" jsonb NOT NULL,
	"after" jsonb NOT NULL,
	"why" text
);
--> statement-breakpoint
CREATE TABLE "limit_overrides" (
	"policy" text NOT NULL,
	"level" text NOT NULL,
	"limit" integer,
	"window_ms" bigint,
	"mode" "limit_mode",
	"version" integer NOT NULL,
	"who" text NOT NULL,
	"why" text,
	"changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "limit_overrides_policy_level_pk" PRIMARY KEY("policy","level")
);
--> statement-breakpoint
CREATE INDEX "audit_log_changed_at" ON "audit_log" USING btree ("changed_at");