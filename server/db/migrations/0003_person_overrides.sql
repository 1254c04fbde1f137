CREATE TYPE "public"."person_rule" AS ENUM('numbers', 'exempt', 'deny');--> statement-breakpoint
CREATE TABLE "limit_person_overrides" (
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "limit_person_overrides_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"policy" text NOT NULL,
	"level" text NOT NULL,
	"ref" text NOT NULL,
	"subject" text NOT NULL,
	"kind" "person_rule" NOT NULL,
	"limit" integer,
	"window_ms" bigint,
	"until" timestamp (3) with time zone,
	"who" text NOT NULL,
	"why" text NOT NULL,
	"changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "limit_person_overrides_policy_level_ref_pk" PRIMARY KEY("policy","level","ref"),
	CONSTRAINT "limit_person_overrides_id_unique" UNIQUE("id"),
	CONSTRAINT "limit_person_overrides_until" CHECK (("limit_person_overrides"."kind" = 'deny') = ("limit_person_overrides"."until" is not null))
);
