(* Anchored sums and dot products: Lemmas A, B and D of lib/core/arith/anchor.h, for any number of terms
   a lane, and lanes that are added up.

   One text for both: a term is a real number x, for sums a double, for products that which the FMA
   sees. What keeps a lane in the anchor's binade is either that all |x| <= 2^g, or that no computed q
   is more than m and the lane does not end far below its start. *)
From Coq Require Import ZArith Reals Lra Lia.
From Flocq Require Import Core Sterbenz.
From ExBLAS Require Import Base Constants.

Open Scope R_scope.

Section Anchor.
Variables e g : Z.
Hypothesis e_range : (-900 <= e)%Z.
Hypothesis room : (g + 7 <= e <= g + 52)%Z.

Notation U := (pow2 (e - 52)).
Notation G := (pow2 g).
(* C: lib/core/arith/anchor.h
   return 1.5 * exb_pow2(g + EXB_ANCHOR_NU + 1); *)
Definition sigma := 3 / 2 * pow2 e.

(* A lane after n terms of the exact sum X. *)
(* C: lib/level1/kernels/anchored_steps.h
   exb_v t = v_add_by_fma(x, a.s);
   exb_v q = v_sub(t, a.s);
   a.c = v_add(a.c, v_sub_by_fma(x, q));
   exb_v t = v_fma(x, y, *s), q = v_sub(t, *s), low = v_fms(x, y, q);
   *c = v_add(low, *c); *)
Inductive lane : nat -> R -> R -> R -> Prop :=
| lane_start : lane 0 0 sigma 0
| lane_term n X s c x : lane n X s c ->
    pow2 e <= RN (s + x) <= pow2 (e + 1) ->
    RN (s + x) < pow2 (e + 1) \/ s + x <= pow2 (e + 1) ->
    lane (S n) (X + x) (RN (s + x)) (RN (c + RN (x - RN (RN (s + x) - s)))).

Lemma U_pos : 0 < U.
Proof. apply bpow_gt_0. Qed.

Lemma binade : pow2 e = 2 * pow2 (e - 1) /\ pow2 (e + 1) = 2 * pow2 e /\
  pow2 (e + 2) = 4 * pow2 e /\ pow2 (e - 53) = U / 2 /\ pow2 (e - 107) = u * U / 4 /\
  pow2 (e - 106) = u * U / 2.
Proof.
  assert (D : forall k, pow2 (k + 1) = 2 * pow2 k) by (intros k; rewrite bpow_plus; simpl; lra).
  unfold u. rewrite <- bpow_plus.
  pose proof (D (e - 1)%Z) as A. pose proof (D (e + 1)%Z) as B. pose proof (D (e - 53)%Z) as C.
  pose proof (D (e - 106)%Z) as H. pose proof (D (e - 107)%Z) as I.
  replace (e - 1 + 1)%Z with e in A by ring. replace (e + 1 + 1)%Z with (e + 2)%Z in B by ring.
  replace (e - 53 + 1)%Z with (e - 52)%Z in C by ring.
  replace (e - 106 + 1)%Z with (-53 + (e - 52))%Z in H by ring.
  replace (e - 107 + 1)%Z with (e - 106)%Z in I by ring.
  rewrite D in B. rewrite D. repeat split; lra.
Qed.

Lemma F_pow k : (-1074 <= k)%Z -> F (pow2 k).
Proof. intros H. apply generic_format_bpow. unfold FLT_exp. lia. Qed.

(* In the anchor's binade rounding is to a multiple of U. *)
Lemma rounded_in_binade y : pow2 e <= RN y <= pow2 (e + 1) ->
  Rabs (RN y - y) <= U /\
  (RN y < pow2 (e + 1) \/ y <= pow2 (e + 1) -> Rabs (RN y - y) <= U / 2).
Proof.
  intros [L H]. destruct binade as [B1 [B2 [B3 [B4 _]]]]. pose proof U_pos as U0.
  assert (P : 0 < pow2 e) by apply bpow_gt_0.
  assert (Y0 : 0 < y).
  { apply Rnot_le_lt. intros N. apply RN_le in N. rewrite RN_0 in N. lra. }
  assert (Y2 : y <= pow2 (e + 2)).
  { apply Rnot_lt_le. intros N. apply Rlt_le, RN_le in N. rewrite RN_F in N by (apply F_pow; lia). lra. }
  split.
  - replace U with (pow2 (e + 2 - 54)) by (f_equal; ring).
    apply round_error_below; [rewrite Rabs_pos_eq; lra|lia].
  - intros T. rewrite <- B4. replace (e - 53)%Z with (e + 1 - 54)%Z by ring.
    apply round_error_below; [rewrite Rabs_pos_eq by lra|lia].
    destruct T as [T|T]; auto. apply Rnot_lt_le. intros N.
    apply Rlt_le, RN_le in N. rewrite RN_F in N by (apply F_pow; lia). lra.
Qed.

Lemma difference_exact s t : F s -> F t -> pow2 e <= s <= pow2 (e + 1) ->
  pow2 e <= t <= pow2 (e + 1) -> RN (t - s) = t - s.
Proof.
  intros Fs Ft Hs Ht. destruct binade as [_ [B2 _]]. apply RN_F.
  apply sterbenz; auto with typeclass_instances. lra.
Qed.

Lemma on_grid s : F s -> pow2 e <= s <= pow2 (e + 1) -> exists k, s = IZR k * U.
Proof.
  intros Fs Hs. destruct (Req_dec s (pow2 (e + 1))) as [E|E].
  - exists (2 ^ 53)%Z. change (IZR (2 ^ 53)) with (pow2 53).
    rewrite <- bpow_plus, E. f_equal. ring.
  - exists (Ztrunc (scaled_mantissa radix2 fexp64 s)).
    rewrite Fs at 1. unfold F2R. cbn [Fnum Fexp]. do 2 f_equal.
    unfold cexp. rewrite (mag_unique_pos radix2 s (e + 1)).
    + unfold FLT_exp. lia.
    + replace (e + 1 - 1)%Z with e by ring. lra.
Qed.

(* s + 2^g and s - 2^g are doubles: rounding does not pass them. *)
Lemma grid_number s d : F s -> pow2 e <= s <= pow2 (e + 1) -> Rabs d = G ->
  pow2 e <= s + d <= pow2 (e + 1) -> F (s + d).
Proof.
  intros Fs Hs Hd Hsd. destruct binade as [_ [B2 _]].
  assert (P : 0 < pow2 e) by apply bpow_gt_0.
  assert (K := on_grid s Fs Hs).
  assert (D : exists m, d = IZR m * U).
  { assert (E : G = IZR (2 ^ (g - (e - 52))) * U).
    { rewrite (IZR_Zpower radix2) by lia. rewrite <- bpow_plus. f_equal. ring. }
    destruct (Rcase_abs d) as [N|N].
    - exists (- 2 ^ (g - (e - 52)))%Z. rewrite opp_IZR. rewrite Rabs_left in Hd by easy. lra.
    - exists (2 ^ (g - (e - 52)))%Z. rewrite Rabs_right in Hd by easy. lra. }
  destruct K as [k K], D as [m D]. rewrite K, D, <- Rmult_plus_distr_r, <- plus_IZR in *.
  apply F_int; [|lia].
  assert (T : pow2 (e + 1) = IZR (2 ^ 53) * U).
  { change (IZR (2 ^ 53)) with (pow2 53). rewrite <- bpow_plus. f_equal. ring. }
  pose proof U_pos as U0. rewrite T in Hsd.
  assert (0 <= IZR (k + m)) by nra. assert (IZR (k + m) <= IZR (2 ^ 53)) by nra.
  apply le_IZR in H, H0. lia.
Qed.

Lemma sum_step_small s x : F s -> pow2 e <= s <= pow2 (e + 1) -> Rabs x <= G ->
  pow2 e <= s + G <= pow2 (e + 1) -> pow2 e <= s - G <= pow2 (e + 1) ->
  Rabs (RN (s + x) - s) <= G.
Proof.
  intros Fs Hs Hx Hu Hl. apply Rabs_le_inv in Hx. pose proof (bpow_gt_0 radix2 g) as G0.
  assert (RN (s + x) <= s + G).
  { rewrite <- (RN_F (s + G)); [apply RN_le; lra|].
    apply grid_number; auto. apply Rabs_pos_eq. lra. }
  assert (s - G <= RN (s + x)).
  { rewrite <- (RN_F (s - G)); [apply RN_le; lra|].
    apply grid_number; auto. rewrite Rabs_Ropp. apply Rabs_pos_eq. lra. }
  apply Rabs_le. lra.
Qed.

(* Terms up to 2^g, N of them, do not leave the binade. *)
Section Path.
Variables (x s : nat -> R) (N : nat).
Hypothesis start : s 0%nat = sigma.
Hypothesis step : forall i, (i < N)%nat -> s (S i) = RN (s i + x i).

Lemma F_sigma : F sigma.
Proof.
  destruct binade as [B1 _]. unfold sigma.
  replace (3 / 2 * pow2 e) with (IZR 3 * pow2 (e - 1)) by lra. apply F_int; lia.
Qed.

Lemma F_path i : (i <= N)%nat -> F (s i).
Proof.
  destruct i as [|i]; intros H; [rewrite start; apply F_sigma|].
  rewrite step by lia. apply F_RN.
Qed.

Theorem terms_stay : (forall i, (i < N)%nat -> Rabs (x i) <= G) -> INR N * G <= pow2 (e - 1) ->
  forall i, (i < N)%nat -> pow2 e <= s (S i) <= pow2 (e + 1) /\ s i + x i <= pow2 (e + 1).
Proof.
  intros Hx Hn. destruct binade as [B1 [B2 _]]. pose proof (bpow_gt_0 radix2 g) as G0.
  assert (Near : forall i, (i <= N)%nat -> Rabs (s i - sigma) <= INR i * G).
  { induction i as [|i IH]; intros H.
    - rewrite start, Rminus_diag_eq, Rabs_R0 by easy. simpl. lra.
    - assert (Ni : INR (S i) * G <= pow2 (e - 1)).
      { apply Rle_trans with (2 := Hn). apply Rmult_le_compat_r; [lra|]. now apply le_INR. }
      specialize (IH ltac:(lia)). rewrite S_INR in *. pose proof (pos_INR i) as I0.
      assert (0 <= INR i * G) by (apply Rmult_le_pos; lra).
      pose proof (F_path i ltac:(lia)) as Fi. unfold sigma in *. apply Rabs_le_inv in IH.
      assert (D : Rabs (RN (s i + x i) - s i) <= G).
      { apply sum_step_small; auto; lra. }
      rewrite step by lia. apply Rabs_le_inv in D. apply Rabs_le. lra. }
  intros i Hi. pose proof (Near i ltac:(lia)) as A. pose proof (Near (S i) ltac:(lia)) as B.
  assert (Ni : INR (S i) * G <= pow2 (e - 1)).
  { apply Rle_trans with (2 := Hn). apply Rmult_le_compat_r; [lra|]. now apply le_INR. }
  specialize (Hx i Hi). rewrite S_INR in *. pose proof (pos_INR i) as I0.
  apply Rabs_le_inv in A, B, Hx. unfold sigma in *. lra.
Qed.

(* Lemma D: nor do those of which no computed rise is more than m, if they end near the start. *)
(* C: lib/level1/kernels/anchored_steps.h
   exb_v rise = v_mul(v_at_most(m), v_set1((double)n_lane)), most = v_add(v_at_most(fall), rise);
   return EXB_SEES_FALLS ? m : v_mul(most, v_set1(exb_anchored_most(1, n_lanes))); *)
Lemma rise t s0 m : F t -> F s0 -> 0 <= m -> RN (t - s0) <= m -> t - s0 <= m * (1 + 8 * u).
Proof.
  intros Ft Fs M H. pose proof u_pos as u0. assert (u1 : u <= 1 / 8).
  { unfold u.
    apply Rle_trans with (pow2 (-3)); [apply bpow_le; lia|simpl; lra]. }
  destruct (Rle_or_lt (t - s0) 0) as [L|L].
  - apply Rle_trans with (1 := L). apply Rmult_le_pos; lra.
  - assert (A := add_error_exact t (- s0) Ft (F_opp s0 Fs)).
    replace (t + - s0) with (t - s0) in A by ring.
    rewrite (Rabs_pos_eq (t - s0)) in A by lra. apply Rabs_le_inv in A.
    assert (K : (t - s0) * (1 - u) <= m) by lra.
    apply Rle_trans with ((t - s0) * (1 - u) * (1 + 8 * u)).
    + replace ((t - s0) * (1 - u) * (1 + 8 * u)) with
        ((t - s0) + (t - s0) * (u * (7 - 8 * u))) by ring.
      assert (0 <= (t - s0) * (u * (7 - 8 * u))); [|lra].
      apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; lra.
    + apply Rmult_le_compat_r; lra.
Qed.

Theorem rises_stay m d : 0 <= m -> 0 <= d ->
  (forall i, (i < N)%nat -> RN (s (S i) - s i) <= m) -> sigma - d <= s N ->
  INR N * (m * (1 + 8 * u)) + d <= pow2 (e - 1) -> INR N * (m * (1 + 8 * u)) < pow2 (e - 1) ->
  forall i, (i <= N)%nat -> pow2 e <= s i < pow2 (e + 1).
Proof.
  intros M D Hq Last Hn Less. pose proof u_pos as u0. destruct binade as [B1 [B2 _]].
  set (r := m * (1 + 8 * u)) in *. assert (r0 : 0 <= r) by (apply Rmult_le_pos; lra).
  assert (Step : forall i, (i < N)%nat -> s (S i) - s i <= r).
  { intros i Hi. apply rise; auto; apply F_path; lia. }
  assert (Up : forall i, (i <= N)%nat -> s i <= sigma + INR i * r).
  { induction i as [|i IH]; intros H; [rewrite start; simpl; lra|].
    specialize (IH ltac:(lia)). specialize (Step i ltac:(lia)). rewrite S_INR. lra. }
  assert (Down : forall k i, (i + k = N)%nat -> s N - INR k * r <= s i).
  { induction k as [|k IH]; intros i H.
    - replace i with N by lia. simpl. lra.
    - specialize (IH (S i) ltac:(lia)). specialize (Step i ltac:(lia)). rewrite S_INR. lra. }
  intros i Hi. specialize (Up i Hi). specialize (Down (N - i)%nat i ltac:(lia)).
  assert (INR i * r <= INR N * r) by (apply Rmult_le_compat_r; [lra|]; now apply le_INR).
  assert (INR (N - i) * r <= INR N * r) by (apply Rmult_le_compat_r; [lra|]; apply le_INR; lia).
  unfold sigma in *. lra.
Qed.

(* The same if falls are seen, too. *)
Theorem moves_stay m : 0 <= m -> (forall i, (i < N)%nat -> Rabs (RN (s (S i) - s i)) <= m) ->
  INR N * (m * (1 + 8 * u)) < pow2 (e - 1) -> forall i, (i <= N)%nat -> pow2 e <= s i < pow2 (e + 1).
Proof.
  intros M Hq Hn. pose proof u_pos as u0. destruct binade as [B1 [B2 _]].
  set (r := m * (1 + 8 * u)) in *. assert (r0 : 0 <= r) by (apply Rmult_le_pos; lra).
  assert (Step : forall i, (i < N)%nat -> Rabs (s (S i) - s i) <= r).
  { intros i Hi. specialize (Hq i Hi).
    assert (A : s (S i) - s i <= r).
    { apply rise; auto; try (apply F_path; lia). apply Rabs_le_inv in Hq. lra. }
    assert (B : s i - s (S i) <= r).
    { apply rise; auto; try (apply F_path; lia).
      replace (s i - s (S i)) with (- (s (S i) - s i)) by ring. rewrite RN_opp.
      apply Rabs_le_inv in Hq. lra. }
    apply Rabs_le. lra. }
  assert (Near : forall i, (i <= N)%nat -> Rabs (s i - sigma) <= INR i * r).
  { induction i as [|i IH]; intros H.
    - rewrite start, Rminus_diag_eq, Rabs_R0 by easy. simpl. lra.
    - specialize (IH ltac:(lia)). specialize (Step i ltac:(lia)). rewrite S_INR.
      apply Rabs_le_inv in IH, Step. apply Rabs_le. lra. }
  intros i Hi. specialize (Near i Hi).
  assert (INR i * r <= INR N * r) by (apply Rmult_le_compat_r; [lra|]; now apply le_INR).
  apply Rabs_le_inv in Near. unfold sigma in *. lra.
Qed.
End Path.

(* The invariant of a lane. *)
Definition err (a : R) := u * U * a.

Lemma lane_holds n X s c : lane n X s c -> (Z.of_nat n < 2 ^ 46)%Z ->
  F s /\ F c /\ pow2 e <= s <= pow2 (e + 1) /\ Rabs c <= INR n * (U / 2) /\
  Rabs (X - ((s - sigma) + c)) <= err (INR n * (INR n + 2) / 4).
Proof.
  destruct binade as [B1 [B2 [B3 [B4 [B5 B6]]]]]. pose proof U_pos as U0. pose proof u_pos as u0.
  assert (P : 0 < pow2 (e - 1)) by apply bpow_gt_0.
  induction 1 as [|n X s c x L IH Ht Hx]; intros Small.
  - split; [exact F_sigma|]. split; [apply F_0|]. unfold sigma, err. split; [lra|].
    simpl INR. replace (0 - (3 / 2 * pow2 e - 3 / 2 * pow2 e + 0)) with 0 by ring.
    rewrite Rabs_R0. lra.
  - destruct (IH ltac:(lia)) as [Fs [Fc [Hs [C E]]]]. clear IH.
    destruct (rounded_in_binade (s + x) Ht) as [_ R1]. specialize (R1 Hx).
    set (t := RN (s + x)) in *. assert (Ft : F t) by apply F_RN.
    rewrite (difference_exact s t) by auto.
    split; [exact Ft|]. split; [apply F_RN|]. split; [exact Ht|].
    rewrite S_INR in *. pose proof (pos_INR n) as N0.
    rewrite <- Rabs_Ropp in R1. replace (- (t - (s + x))) with (x - (t - s)) in R1 by ring.
    set (r := RN (x - (t - s))). assert (Fr : F r) by apply F_RN.
    assert (Ec := add_error_exact c r Fc Fr). set (c' := RN (c + r)) in *.
    assert (Hr : Rabs r <= U / 2) by (apply RN_abs_le; [rewrite <- B4; apply F_pow; lia|exact R1]).
    assert (Hd : Rabs (r - (x - (t - s))) <= err (1 / 4)).
    { unfold err. replace (u * U * (1 / 4)) with (u * U / 4) by field. rewrite <- B5.
      replace (e - 107)%Z with (e - 53 - 54)%Z by ring.
      apply round_error_below; [rewrite B4; exact R1|lia]. }
    assert (Hcr : Rabs (c + r) <= (INR n + 1) * (U / 2)).
    { apply Rle_trans with (1 := Rabs_triang _ _). lra. }
    split.
    + apply RN_abs_le; [|exact Hcr]. rewrite <- B4, <- S_INR, INR_IZR_INZ. apply F_int; lia.
    + replace (X + x - ((t - sigma) + c')) with
        ((X - ((s - sigma) + c)) + (- (r - (x - (t - s)))) + (- (c' - (c + r)))) by ring.
      apply Rle_trans with
        (err (INR n * (INR n + 2) / 4) + err (1 / 4) + u * ((INR n + 1) * (U / 2))).
      * apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_Ropp. apply Rplus_le_compat.
        -- apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_Ropp. lra.
        -- apply Rle_trans with (1 := Ec). apply Rmult_le_compat_l; lra.
      * unfold err. apply Req_le. field.
Qed.

(* A zero that fills a vector changes nothing and does not count as a term. *)
Theorem zero_changes_nothing s c : F s -> F c ->
  RN (s + 0) = s /\ RN (c + RN (0 - RN (RN (s + 0) - s))) = c.
Proof.
  intros Fs Fc. rewrite Rplus_0_r, (RN_F s Fs). split; auto.
  replace (s - s) with 0 by ring. rewrite RN_0, Rminus_0_r, RN_0, Rplus_0_r. now apply RN_F.
Qed.

(* What a lane adds up, as a multiple of U. *)
Lemma lane_sum n X s c : lane n X s c -> (Z.of_nat n < 2 ^ 46)%Z -> exists k, s - sigma = IZR k * U.
Proof.
  intros L Small. destruct (lane_holds n X s c L Small) as [Fs [_ [R _]]].
  destruct binade as [B1 [B2 _]].
  destruct (on_grid s Fs R) as [k K]. exists (k - 3 * 2 ^ 51)%Z.
  rewrite minus_IZR, Rmult_minus_distr_r, <- K. f_equal.
  rewrite mult_IZR. change (IZR (2 ^ 51)) with (pow2 51).
  rewrite Rmult_assoc, <- bpow_plus. replace (51 + (e - 52))%Z with (e - 1)%Z by ring.
  unfold sigma. lra.
Qed.

(* l lanes of at most N terms that end at most B from sigma, and sums of their s - sigma and of their
   c, depth additions deep, but for that to 0. *)
(* C: lib/level1/kernels/anchor_tmpl.c
   a[j].s = v_sub(a[j].s, sigma);
   a[0] = (anchored_lanes){v_add(a[0].s, a[j].s), v_add(a[0].c, a[j].c),
   a[0] = (anchored_lanes){v_add(a[0].s, v_swap(a[0].s, half)),
   v_add(a[0].c, v_swap(a[0].c, half)),
   out->sum += out[1].sum;
   out->c += out[1].c;
   a[0].m = reach_of_lanes(a[0].m, fall, n_lane, chains * EXB_LANES); *)
Inductive lanes (N : nat) (B : R) : nat -> nat -> nat -> R -> R -> R -> Prop :=
| one_lane n X s c : lane n X s c -> (n <= N)%nat -> Rabs (s - sigma) <= B ->
    lanes N B 0 1 n X (RN (s - sigma)) c
| two_lanes d d' l l' n n' X X' K K' c c' : lanes N B d l n X K c -> lanes N B d' l' n' X' K' c' ->
    lanes N B (S (max d d')) (l + l') (n + n') (X + X') (RN (K + K')) (RN (c + c')).

(* Multiples of U up to 2^(e+1) are added exactly. *)
Lemma grid_sum x m : x = IZR m * U -> Rabs x <= pow2 (e + 1) -> RN x = x.
Proof.
  intros E H. pose proof U_pos as U0. apply RN_F. rewrite E. apply F_int; [|lia].
  apply le_IZR. rewrite abs_IZR. apply Rmult_le_reg_r with U; auto.
  rewrite <- (Rabs_pos_eq U) at 1 by lra. rewrite <- Rabs_mult, <- E.
  apply Rle_trans with (1 := H). change (IZR (2 ^ 53)) with (pow2 53).
  rewrite <- bpow_plus. apply bpow_le. lia.
Qed.

Lemma sums_exact N B d l n X K c : lanes N B d l n X K c -> (Z.of_nat n < 2 ^ 46)%Z ->
  INR l * B <= pow2 (e + 1) -> 0 <= B /\ Rabs K <= INR l * B /\ exists k, K = IZR k * U.
Proof.
  induction 1 as [n X s c L LN LB|d d' l l' n n' X X' K K' c c' _ IH _ IH']; intros Small H.
  - destruct (lane_sum n X s c L Small) as [k E]. simpl (INR 1) in *. rewrite Rmult_1_l in *.
    rewrite (grid_sum (s - sigma) k E) by lra. pose proof (Rabs_pos (s - sigma)).
    split; [lra|]. eauto.
  - rewrite plus_INR in *. pose proof (pos_INR l) as L0. pose proof (pos_INR l') as L1.
    assert (B0 : 0 <= B \/ B < 0) by lra. destruct B0 as [B0|B0].
    2: { assert (INR l * B <= pow2 (e + 1)).
         { apply Rle_trans with 0; [|apply bpow_ge_0]. nra. }
         destruct (IH ltac:(lia) H0) as [B1 _]. lra. }
    assert (P : 0 <= INR l * B) by (apply Rmult_le_pos; lra).
    assert (P' : 0 <= INR l' * B) by (apply Rmult_le_pos; lra).
    destruct (IH ltac:(lia) ltac:(lra)) as [_ [A [k E]]].
    destruct (IH' ltac:(lia) ltac:(lra)) as [_ [A' [k' E']]].
    assert (T : Rabs (K + K') <= (INR l + INR l') * B).
    { apply Rle_trans with (1 := Rabs_triang _ _). lra. }
    assert (M : K + K' = IZR (k + k') * U) by (rewrite plus_IZR, E, E'; ring).
    rewrite (grid_sum (K + K') (k + k') M) by lra. eauto.
Qed.

Lemma lanes_near N B d l n X K c : lanes N B d l n X K c -> (Z.of_nat n < 2 ^ 46)%Z ->
  INR l * B <= pow2 (e + 1) ->
  F c /\ Rabs c <= INR n * (U / 2) /\
  Rabs (X - (K + c)) <= err (INR n * ((INR N + 2) / 4 + INR d / 2)).
Proof.
  pose proof U_pos as U0. pose proof u_pos as u0. destruct binade as [_ [_ [_ [B4 _]]]].
  assert (uU : 0 <= u * U) by (apply Rmult_le_pos; lra).
  induction 1 as [n X s c L LN LB|d d' l l' n n' X X' K K' c c' L IH L' IH']; intros Small All.
  - destruct (sums_exact N B 0 1 n X _ c (one_lane N B n X s c L LN LB) Small All) as [_ [_ [k Ek]]].
    destruct (lane_sum n X s c L Small) as [j Ej].
    simpl (INR 1) in All. rewrite (grid_sum (s - sigma) j Ej) by lra.
    destruct (lane_holds n X s c L Small) as [_ [Fc [_ [C E]]]]. split; [exact Fc|]. split; [exact C|].
    apply Rle_trans with (1 := E). unfold err. apply Rmult_le_compat_l; auto.
    apply le_INR in LN. pose proof (pos_INR n). simpl (INR 0). nra.
  - destruct (sums_exact N B _ _ _ _ _ _ (two_lanes N B d d' l l' n n' X X' K K' c c' L L') Small All)
      as [B0 _].
    rewrite plus_INR in All.
    assert (P : 0 <= INR l * B) by (apply Rmult_le_pos; [apply pos_INR|lra]).
    assert (P' : 0 <= INR l' * B) by (apply Rmult_le_pos; [apply pos_INR|lra]).
    assert (All1 : INR l * B <= pow2 (e + 1)) by lra.
    assert (All2 : INR l' * B <= pow2 (e + 1)) by lra.
    destruct (IH ltac:(lia) All1) as [Fc [C E]]. destruct (IH' ltac:(lia) All2) as [Fc' [C' E']].
    destruct (sums_exact N B d l n X K c L ltac:(lia) All1) as [_ [Bk [k Ek]]].
    destruct (sums_exact N B d' l' n' X' K' c' L' ltac:(lia) All2) as [_ [Bk' [k' Ek']]].
    rewrite (grid_sum (K + K') (k + k')).
    2: { rewrite plus_IZR, Ek, Ek'. ring. }
    2: { apply Rle_trans with (1 := Rabs_triang _ _). lra. }
    rewrite plus_INR, S_INR.
    assert (S : Rabs (c + c') <= (INR n + INR n') * (U / 2)).
    { apply Rle_trans with (1 := Rabs_triang _ _). lra. }
    split; [apply F_RN|]. split.
    + apply RN_abs_le; [|exact S]. rewrite <- B4, <- plus_INR, INR_IZR_INZ. apply F_int; lia.
    + pose proof (add_error_exact c c' Fc Fc') as A.
      assert (M : INR d <= INR (max d d')) by (apply le_INR; lia).
      assert (M' : INR d' <= INR (max d d')) by (apply le_INR; lia).
      set (m := INR (max d d')) in *. pose proof (pos_INR n). pose proof (pos_INR n').
      replace (X + X' - (K + K' + RN (c + c'))) with
        ((X - (K + c)) + (X' - (K' + c')) + (- (RN (c + c') - (c + c')))) by ring.
      apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_Ropp.
      apply Rle_trans with (err (INR n * ((INR N + 2) / 4 + m / 2)) +
        err (INR n' * ((INR N + 2) / 4 + m / 2)) + u * ((INR n + INR n') * (U / 2))).
      * apply Rplus_le_compat.
        -- apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat.
           ++ apply Rle_trans with (1 := E). unfold err. apply Rmult_le_compat_l; auto. nra.
           ++ apply Rle_trans with (1 := E'). unfold err. apply Rmult_le_compat_l; auto. nra.
        -- apply Rle_trans with (1 := A). apply Rmult_le_compat_l; lra.
      * unfold err. apply Req_le. field.
Qed.

(* E of anchor.h, where additions of the lanes' c are at most EXB_ANCHOR_DEPTH deep. *)
Theorem anchored_near N B d l n X K c : lanes N B d l n X K c -> (Z.of_nat n < 2 ^ 46)%Z ->
  INR l * B <= pow2 (e + 1) ->
  (Z.of_nat d <= EXB_ANCHOR_DEPTH)%Z ->
  Rabs (X - (K + c)) <= INR n * u * U * ((INR N + 3) / 4 + IZR EXB_ANCHOR_DEPTH / 2).
Proof.
  intros L Small All Hd. destruct (lanes_near N B d l n X K c L Small All) as [_ [_ E]].
  apply Rle_trans with (1 := E). unfold err.
  replace (INR n * u * U * ((INR N + 3) / 4 + IZR EXB_ANCHOR_DEPTH / 2)) with
    (u * U * (INR n * ((INR N + 3) / 4 + IZR EXB_ANCHOR_DEPTH / 2))) by ring.
  pose proof U_pos as U0. pose proof u_pos as u0.
  apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
  apply Rmult_le_compat_l; [apply pos_INR|].
  apply IZR_le in Hd. rewrite <- INR_IZR_INZ in Hd. unfold EXB_ANCHOR_DEPTH in *. lra.
Qed.
End Anchor.

(* The anchor for terms up to 2^g: 2^NU of them fit in a lane, and the ranges hold that the section
   asks for. *)
Theorem anchor_has_room g n : (EXB_ANCHOR_MIN_G <= g)%Z ->
  (Z.of_nat n <= 2 ^ EXB_ANCHOR_NU)%Z ->
  let e := (g + EXB_ANCHOR_NU + 1)%Z in
  (-900 <= e)%Z /\ (g + 7 <= e <= g + 52)%Z /\ INR n * pow2 g <= pow2 (e - 1).
Proof.
  intros Hg Hn e. unfold e, EXB_ANCHOR_MIN_G, EXB_ANCHOR_NU in *. split; [lia|]. split; [lia|].
  replace (g + 11 + 1 - 1)%Z with (11 + g)%Z by ring. rewrite bpow_plus.
  apply Rmult_le_compat_r; [apply bpow_ge_0|].
  rewrite INR_IZR_INZ, <- (IZR_Zpower radix2) by lia. now apply IZR_le.
Qed.
