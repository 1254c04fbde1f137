CREATE TABLE "limit_person_lifts" (
	"policy" text NOT NULL,
	"level" text NOT NULL,
	"ref" text NOT NULL,
	"version" integer NOT NULL,
	"lifted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "limit_person_lifts_policy_level_ref_pk" PRIMARY KEY("policy","level","ref")
);
--> statement-breakpoint
ALTER TABLE "limit_person_overrides" ADD COLUMN "version" integer;--> statement-breakpoint
UPDATE "limit_person_overrides" SET "version" = 0;
